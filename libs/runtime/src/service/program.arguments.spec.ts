import { VERSION } from '@lettermill/version';
import { answerTo } from './program.arguments';

describe('the arguments of a program', () => {
  it('may be none, or a known one: the program then runs', () => {
    expect(answerTo([], 'gateway')).toBeUndefined();
    expect(answerTo([], 'init', ['forget-positions'])).toBeUndefined();
    expect(answerTo(['forget-positions'], 'init', ['forget-positions'])).toBeUndefined();
  });

  it('may ask for the version or the usage', () => {
    for (const ask of ['--version', '-V']) expect(answerTo([ask], 'gateway')).toEqual({ text: VERSION, exitCode: 0 });
    for (const ask of ['--help', '-h'])
      expect(answerTo([ask], 'gateway')).toEqual({
        text: expect.stringContaining('gateway takes no arguments.') as string,
        exitCode: 0,
      });
    expect(answerTo(['--help'], 'init', ['forget-positions'])?.text).toContain('takes forget-positions, or nothing.');
  });

  it('are refused when they would have no effect', () => {
    for (const given of [['--port', '80'], ['forget-positions'], ['--version', 'now']])
      expect(answerTo(given, 'gateway')).toEqual({
        text: expect.stringContaining(`Unknown arguments «${given.join(' ')}»: gateway takes no arguments.`) as string,
        exitCode: 64,
      });
    expect(answerTo(['forget-positions', 'all'], 'init', ['forget-positions'])?.exitCode).toBe(64);
  });
});
