import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCommand } from '../command.line';

interface Entry {
  address: string;
  reason: string;
  message_id: string | null;
  at: string;
}

const page = { size: 2 };
let entries: Entry[] = [];
/** What remains of an address, by address. */
let remaining: Record<string, string> = {};
let calls: string[] = [];

/** Answers as the API does: newest first, in pages. */
function mockAnswer(method: string, path: string): { url: string; status: number; body: object } {
  const { pathname, search, searchParams } = new URL(path, 'http://gateway');
  calls.push(`${method} ${pathname}${search}`);
  const answer = (status: number, body: object = {}) => ({ url: 'http://gateway', status, body });
  if (method === 'DELETE') {
    const address = decodeURIComponent(pathname.split('/')[3]!);
    if (!entries.some((entry) => entry.address === address)) return answer(404, { code: 'not_found', detail: 'No.' });
    const reason = remaining[address];
    return reason === undefined ? answer(204) : answer(200, { address, reason });
  }
  const reason = searchParams.get('reason');
  const begin = Number(searchParams.get('cursor') ?? 0);
  const matching = entries.filter((entry) => !reason || entry.reason === reason);
  const end = begin + page.size;
  return answer(200, { data: matching.slice(begin, end), next_cursor: end < matching.length ? String(end) : null });
}

jest.mock('../gateway/gateway', () => ({
  Gateway: { of: () => Promise.resolve({ call: (...args: [string, string]) => Promise.resolve(mockAnswer(...args)) }) },
}));

async function suppressions(...args: string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const code = await runCommand(['suppressions', ...args], { env: {}, stdin: new PassThrough(), stdout, stderr });
  return { code, out: await text(stdout.end()), err: await text(stderr.end()) };
}

describe('suppressions on the command line', () => {
  const entry = (address: string, reason: string, at: string): Entry => ({ address, reason, message_id: 'M', at });

  beforeEach(() => {
    [calls, remaining] = [[], {}];
    entries = [
      entry('a+b@wave.example', 'mailbox_unknown', '2026-03-02T10:00:03.000Z'),
      entry('bob@wave.example', 'complained', '2026-03-02T10:00:02.000Z'),
      entry('cy@other.example', 'mailbox_unknown', '2026-03-02T10:00:01.000Z'),
      entry('dan@wave.example', 'mailbox_unknown', '2026-03-02T10:00:00.000Z'),
      entry('old@wave.example', 'mailbox_unknown', '2026-03-01T00:00:00.000Z'),
    ];
  });
  const wave = ['--reason', 'mailbox_unknown', '--domain', 'Wave.example', '--since', '2026-03-02T10:00:00Z'];

  it('lists those that match, and says if there are more', async () => {
    const { code, out } = await suppressions('list', ...wave);
    expect([code, out.match(/^\S+/gm)]).toEqual([0, ['ADDRESS', 'a+b@wave.example', 'dan@wave.example']]);
    expect((await suppressions('list', '--limit', '2')).out).toMatch(/\n… more; use --limit\n$/);
    expect((await suppressions('list', '--limit', '5')).out).not.toContain('more');
    expect((await suppressions('list', '--domain', 'example')).out).toBe('No suppressions.\n');
    entries = [entry('ada@xn--bcher-kva.example', 'complained', '2026-03-02T10:00:00.000Z')];
    expect((await suppressions('list', '--domain', 'Bücher.example')).out).toContain('ada@');
    const listed = JSON.parse((await suppressions('list', '--json', '--limit', '1')).out) as Entry[];
    expect(listed).toEqual(entries.slice(0, 1));
  });

  it('removes a whole wave, and nothing else', async () => {
    const asked = await suppressions('remove', '--all', ...wave);
    expect(asked).toMatchObject({ code: 2, err: expect.stringMatching(/^2 suppressions \(reason mailbox_unknown, /) });
    expect(calls.filter((call) => call.startsWith('DELETE'))).toEqual([]);
    expect(await suppressions('remove', '--all', '--yes', ...wave)).toEqual({ code: 0, out: '2 removed\n', err: '' });
    const removed = ['a%2Bb', 'dan'].map(
      (name) => `DELETE /v2/suppressions/${name}%40wave.example?reason=mailbox_unknown`,
    );
    expect(calls.filter((call) => call.startsWith('DELETE')).sort()).toEqual(removed);
  });

  it('says what remains behind a reason, and what was refused', async () => {
    remaining = { 'dan@wave.example': 'unsubscribed', 'a+b@wave.example': 'manual' };
    const addresses = ['dan@wave.example', 'a+b@wave.example', 'nobody@wave.example'];
    const done = await suppressions('remove', ...addresses, '--reason', 'mailbox_unknown');
    const lines = [
      '2 removed',
      'dan@wave.example: remains suppressed (unsubscribed)',
      'a+b@wave.example: remains suppressed (manual)',
      'nobody@wave.example: not_found. No.',
      '',
    ];
    expect(done).toEqual({ code: 3, out: lines.join('\n'), err: '1 refused.\n' });
  });

  it.each([
    [['--all'], /--reason/],
    [['--all', '--since', '2h'], /--reason/],
    [['--all', 'a@b.example', '--reason', 'manual'], /addresses or --all/],
    [['a@b.example'], /--reason/],
    [['a@b.example', '--reason', 'manual', '--since', '2h'], /not with addresses/],
    [[], /addresses or --all/],
  ])('removes nothing with %j', async (args, err) => {
    expect(await suppressions('remove', '--yes', ...args)).toMatchObject({ code: 2, err: expect.stringMatching(err) });
    expect(calls).toEqual([]);
  });
});
