import { VERSION } from '@lettermill/version';
import { answerToArguments } from './program.arguments';

describe('the arguments of a program', () => {
  it('may be none, or a known one: the program then runs', () => {
    expect(answerToArguments([], 'gateway')).toBeUndefined();
    expect(answerToArguments([], 'init', ['forget-positions'])).toBeUndefined();
    expect(answerToArguments(['forget-positions'], 'init', ['forget-positions'])).toBeUndefined();
  });

  it('may ask for the version or the usage', () => {
    for (const ask of ['--version', '-V'])
      expect(answerToArguments([ask], 'gateway')).toEqual({ text: VERSION, exitCode: 0 });
    for (const ask of ['--help', '-h'])
      expect(answerToArguments([ask], 'gateway')).toEqual({
        text: expect.stringContaining('gateway takes no arguments.') as string,
        exitCode: 0,
      });
    expect(answerToArguments(['--help'], 'init', ['forget-positions'])?.text).toContain(
      'takes forget-positions, or nothing.',
    );
  });

  it('are refused when they would have no effect', () => {
    for (const given of [['--port', '80'], ['forget-positions'], ['--version', 'now']])
      expect(answerToArguments(given, 'gateway')).toEqual({
        text: expect.stringContaining(`Unknown arguments «${given.join(' ')}»: gateway takes no arguments.`) as string,
        exitCode: 64,
      });
    expect(answerToArguments(['forget-positions', 'all'], 'init', ['forget-positions'])?.exitCode).toBe(64);
  });
});
