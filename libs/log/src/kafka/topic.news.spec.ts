import { Lines } from '../testing/outcome.app';
import { topicNews } from './topic.news';

describe('log lines about missing topics', () => {
  const MINUTE = 60_000;
  const told = (looks: [at: number, missing: string[]][]) => {
    let at = 0;
    const { lines, ...logger } = new Lines();
    const tell = topicNews(logger, () => at);
    for (const [now, missing] of looks) {
      at = now;
      tell(missing);
    }
    return lines.map(({ level, text }) => `${level} ${text}`);
  };
  const gone = (topics: string) =>
    `error the brokers have no topic ${topics}: docs/monitoring.md, «Topics that are gone», says what to do`;

  it('appear once, again when more are missing or some minutes have passed, and when all are back', () => {
    expect(
      told([
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
    ).toEqual([gone('a'), gone('a, b'), gone('a, b'), 'warn the brokers have all topics again', gone('a')]);
  });

  it('appear again when the clock is set back', () => {
    expect(
      told([
        [100 * MINUTE, ['a']],
        [0, ['a']],
      ]),
    ).toHaveLength(2);
  });
});
