import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCommand } from '../command.line';

let answer: { status: number; body: object };
jest.mock('../gateway/gateway', () => ({
  Gateway: { of: () => Promise.resolve({ call: () => Promise.resolve(answer) }) },
}));

async function messages(...args: string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const code = await runCommand(['messages', ...args], { env: {}, stdin: new PassThrough(), stdout, stderr });
  return { code, out: await text(stdout.end()), err: await text(stderr.end()) };
}

describe('the list of messages', () => {
  const about = { state: 'sent', reason: null, campaign: { slug: 'sale' }, contact_key: { email: 'ada@a.example' } };
  const message = { message_id: 'A', created_at: 'now', ...about };

  it('says that there are more than it shows', async () => {
    answer = { status: 200, body: { data: [message, message, message], next_cursor: null } };
    const { out } = await messages('list', '--limit', '2');
    expect(out.match(/^A .*sale +ada@a\.example$/gm)).toHaveLength(2);
    expect(out).toMatch(/\n… more; use --limit\n$/);
    expect((await messages('list', '--limit', '3')).out).not.toContain('more');
  });

  it('refuses a filter that is given twice', async () => {
    const twice = await messages('list', '--state', 'sent', '--state', 'bounced');
    expect(twice).toMatchObject({ code: 2, out: '', err: expect.stringContaining('--state') });
  });
});

describe('a message that is shown', () => {
  it.each([
    [404, { detail: 'No such message.' }, 3, 'No such message.\n'],
    [403, { detail: 'Not this key.' }, 1, 'Not this key.\n'],
    [200, { status: 'ok' }, 1, expect.stringContaining('GATEWAY_URL')],
  ])('is not there: %d with %j', async (status, body, code, err) => {
    answer = { status, body };
    expect(await messages('show', 'A')).toEqual({ code, out: '', err });
  });
});
