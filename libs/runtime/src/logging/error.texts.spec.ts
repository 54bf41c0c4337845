import pino from 'pino';
import { NestLogger, loggerOptions } from './logger';

/** V8 repeats a piece of it. */
const DAMAGED = '{"to":ada@example.com}';

function parseFault(text = DAMAGED): Error {
  try {
    return JSON.parse(text) as never;
  } catch (error) {
    return error as Error;
  }
}

interface Told {
  msg: string;
  err?: { type: string; message: string; stack: string; aggregateErrors?: { message: string }[] };
}

describe('the log lines of a text that cannot be parsed', () => {
  let lines: string[];
  let logger: pino.Logger;
  beforeEach(() => {
    lines = [];
    logger = pino(loggerOptions('info', 'dispatch'), { write: (line: string) => void lines.push(line) });
  });
  const told = () => lines.map((line) => JSON.parse(line) as Told);

  it.each<[string, (fault: Error) => void]>([
    ['an error alone', (fault) => logger.error(fault)],
    ['an error without a message', (err) => logger.error({ err })],
    ['an error and its message', (err) => logger.error({ request_id: 'r', err }, err.message)],
    ['an error of a child', (err) => logger.child({ service: 'x' }).fatal({ err }, err.message)],
    ['an error by Nest', (fault) => new NestLogger(logger).error(fault)],
    ['an error as a text by Nest', (fault) => new NestLogger(logger).warn(String(fault))],
    ['an error as a part of a text', (fault) => logger.warn(`it goes on: ${String(fault)}`)],
    ['its cause', (cause) => logger.error({ err: new Error('a row cannot be read', { cause }) })],
    ['its cause, quoted', (cause) => logger.error({ err: new Error(`damaged: ${cause.message}`, { cause }) })],
    ['one of several', (fault) => logger.error(new AggregateError([new Error('x'), fault], fault.message))],
  ])('repeat nothing of it: %s', (_what, log) => {
    for (const text of [DAMAGED, `${DAMAGED}\n`.repeat(20)]) log(parseFault(text));
    expect(parseFault().message).toContain('ada@');
    expect(lines).toHaveLength(2);
    expect(lines.join()).not.toMatch(/ada@|example\.com/);
    expect(told()[0]!.msg).toBeTruthy();
  });

  it('say what it is, and where it is in the code', () => {
    logger.error(parseFault());
    logger.error(new Error('a row cannot be read', { cause: parseFault() }));
    const [alone, wrapped] = told();
    expect(alone!.err).toMatchObject({ type: 'SyntaxError', message: alone!.msg });
    expect(alone!.err!.stack).toMatch(/^SyntaxError: .*\n +at JSON\.parse/);
    expect(wrapped!.err!.stack).toMatch(
      /^Error: a row cannot be read\n +at [^]*\ncaused by: SyntaxError: .*\n +at JSON/,
    );
    expect([wrapped!.msg, wrapped!.err!.message]).toEqual([
      'a row cannot be read',
      `a row cannot be read: ${alone!.msg}`,
    ]);
  });

  it('are as they were for other errors, even if their causes go round in a circle', () => {
    const round = Object.assign(new Error('round'), { code: 'odd' });
    round.cause = new Error('about', { cause: round });
    logger.error({ err: round }, 'it goes on');
    logger.info({ at: 1 }, 'with %s and %d', 'text', 2);
    logger.info('nothing else');
    expect(told()).toMatchObject([
      {
        err: { type: 'Error', message: expect.stringContaining('round: about') as string, code: 'odd' },
        msg: 'it goes on',
      },
      { at: 1, msg: 'with text and 2', service: 'dispatch' },
      { msg: 'nothing else' },
    ]);
  });
});
