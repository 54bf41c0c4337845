import { Lines } from '../testing/outcome.app';
import { missingTopicsReporter } from './missing.topics';

describe('log lines about missing topics', () => {
  const MINUTE = 60_000;
  const linesFor = (looks: [at: number, missing: string[]][]) => {
    let at = 0;
    const { lines, ...logger } = new Lines();
    const tell = missingTopicsReporter(logger, () => at);
    for (const [now, missing] of looks) {
      at = now;
      tell(missing);
    }
    return lines.map(({ level, text }) => `${level} ${text}`);
  };
  const missingLine = (topics: string) =>
    `error the brokers have no topic ${topics}: docs/monitoring.md, «Topics that are gone», says what to do`;

  it('appear once, again when more are missing or some minutes have passed, and when all are back', () => {
    expect(
      linesFor([
        [0, []],
        [1, ['a']],
        [2, ['a']],
        [3, ['a', 'b']],
        [10 * MINUTE, ['a', 'b']],
        [10 * MINUTE + 3, ['a', 'b']],
        [11 * MINUTE, []],
        [12 * MINUTE, []],
        [13 * MINUTE, ['a']],
      ]),
    ).toEqual([
      missingLine('a'),
      missingLine('a, b'),
      missingLine('a, b'),
      'warn the brokers have all topics again',
      missingLine('a'),
    ]);
  });

  it('appear again when the clock is set back', () => {
    expect(
      linesFor([
        [100 * MINUTE, ['a']],
        [0, ['a']],
      ]),
    ).toHaveLength(2);
  });
});
