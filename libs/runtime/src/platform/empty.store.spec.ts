import type { LogRecord } from '@lettermill/log';
import { warnIfStoreIsLost } from './empty.store';

describe('a store that holds nothing', () => {
  /** With so many campaigns in each partition of the log. */
  const warningsOf = async (answers: boolean[], campaigns: number[]) => {
    const warn = jest.fn();
    const log = {
      partitions: () => Promise.resolve(campaigns.length),
      read: (_: string, partition: number, from: number, limit: number) =>
        Promise.resolve(Array.from<LogRecord>({ length: campaigns[partition]! }).slice(from, limit)),
    };
    await warnIfStoreIsLost(log, () => Promise.resolve(answers.shift()!), { warn });
    return warn.mock.calls;
  };

  it('is told of if there were campaigns', async () => {
    const text = expect.stringMatching(/MONGODB_URI.*docs\/backup\.md/);
    expect(await warningsOf([true, true], [0, 3, 4])).toEqual([[{ code: 'store_empty' }, text]]);
  });

  it.each([
    ['is new, like the log', [true], [0, 0]],
    ['is not empty, as usual', [false], [3]],
    ['was made meanwhile by a process that starts, too, and that launched a campaign', [true, false], [3]],
  ])('is not told of if it %s', async (_, answers, campaigns) => {
    expect(await warningsOf(answers, campaigns)).toEqual([]);
    expect(answers).toEqual([]);
  });
});
