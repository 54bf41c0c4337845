import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCommand } from '../command.line';

const decided: unknown[] = [];
const filters: { until?: string }[] = [];
let refused: object[] = [];
const deadLetters = {
  list: () => Promise.resolve({ letters: [], total: 2 }),
  decide: (decision: string, { filter = {} }: { filter?: { until?: string } }) => {
    decided.push(decision);
    filters.push(filter);
    return Promise.resolve({ done: ['a', 'b'], refused });
  },
};
jest.mock('./dead.letters.access', () => ({
  withDeadLetters: (_env: unknown, work: (at: typeof deadLetters) => unknown) => work(deadLetters),
}));

describe('the limit of the list', () => {
  const listed = async (limit: string) => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const terminal = { env: {}, stdin: new PassThrough(), stdout, stderr };
    const code = await runCommand(['dead-letters', 'list', '--json', '--limit', limit], terminal);
    return [code, await text(stderr.end())];
  };

  it('is at least 1, as in the lists of the API', async () => {
    expect([await listed('1'), await listed('0100')]).toEqual(Array(2).fill([0, '']));
    for (const limit of ['0', '00', '-1', '1.5', '10000000', 'all']) {
      expect(await listed(limit)).toEqual([2, expect.stringContaining('1 to 9999999')]);
    }
  });
});

it.each(['discard', 'redrive'])('%s refuses a filter beside ids', async (decision) => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const args = ['dead-letters', decision, '3:17', '--topic', 'message-queued'];
  expect(await runCommand(args, { env: {}, stdin: new PassThrough(), stdout, stderr })).toBe(2);
  expect(await text(stderr.end())).toContain('not with ids');
  expect(decided).toEqual([]);
});

/** Runs `discard --all` at a terminal where a person types this; undefined is Ctrl-D. */
async function discardAll(typed: string | undefined) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const ended = runCommand(['dead-letters', 'discard', '--all'], { env: {}, stdin, stdout, stderr });
  stdin.end(typed);
  const code = await ended;
  stdout.end();
  stderr.end();
  return { code, out: await text(stdout), err: await text(stderr) };
}

describe('the question whether to discard all dead letters', () => {
  beforeEach(() => decided.splice(0));

  it.each(['y\n', 'YES\n'])('is confirmed by %j', async (typed) => {
    expect(await discardAll(typed)).toMatchObject({ code: 0, out: '2 discarded\n' });
    expect(decided).toEqual(['discarded']);
  });

  it('is about those that were there when it was asked', async () => {
    const before = Date.now();
    await discardAll('y\n');
    const until = Date.parse(filters.at(-1)!.until!);
    expect(until).toBeGreaterThanOrEqual(before);
    expect(until).toBeLessThanOrEqual(Date.now());
  });

  it('ends with exit code 3 if some of them could not be discarded', async () => {
    refused = [{ id: 'c', why: 'unknown' }];
    const { code, err } = await discardAll('y\n');
    refused = [];
    expect([code, err]).toEqual([3, expect.stringContaining('1 not discarded.')]);
  });

  it.each(['n\n', '\n', 'yesterday\n', undefined])(
    'is declined by %j: nothing is done, and the exit code is 2',
    async (typed) => {
      const { code, err } = await discardAll(typed);
      expect([code, decided]).toEqual([2, []]);
      expect(err).toMatch(/2 dead letters .* Go on\?/);
      expect(err).toContain('Nothing was done.');
    },
  );
});
