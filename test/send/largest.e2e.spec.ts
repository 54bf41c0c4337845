import { installed } from '../installations/installed';
import { API_KEY, type Ack } from '../installations/lettermill';

const BODY_BYTES = 256 * 1024;
const PROFILE_PART_BYTES = 64_000;
const FILE_COUNT = 1023;

/** Everything that the contract allows, at once: what is answered 202 must fit on the log at every step. */
describe('a message at its limits', () => {
  const lettermill = installed();
  beforeAll(() => lettermill.launch('order', { headers: headers('campaign') }));

  const headers = (level: string) =>
    Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`X-${level}-${at}`, '"'.repeat(600)]));
  const copies = (kind: string) =>
    Array.from({ length: 10 }, (_, at) => ({ email: `${kind}${at}@example.com`, name: '🎉'.repeat(1000) }));
  const expectAccepted = ({ status, body }: { status: number; body: unknown }) => {
    expect([status, body]).toEqual([202, expect.anything()]);
    return (body as Ack).messages[0]!.message_id;
  };

  it.each([
    ['quotes', '"'],
    ['line breaks', '\n'],
    ['control characters', '\u0001'],
    ['emoji', '😀'],
  ])('is sent with bodies of %s', async (_, character) => {
    const text = character.repeat(BODY_BYTES / Buffer.byteLength(character));
    const request = { campaign: 'order', to: { contact_key: 'ada@example.com', message: { text, html: text } } };
    const id = expectAccepted(await lettermill.send(request));
    expect((await lettermill.until(id, 'sent', 'failed')).state).toBe('sent');
  });

  it('is sent with a large profile, headers at every level, copies and a thousand files with long names', async () => {
    for (const part of ['a', 'b', 'c', 'd']) {
      const to = { contact_key: 'grown@example.com', profile_data: { [part]: 'x'.repeat(PROFILE_PART_BYTES) } };
      expectAccepted(await lettermill.send({ campaign: 'order', to }));
    }
    const texts = { text: '"'.repeat(BODY_BYTES / 2 - 1), html: '"'.repeat(BODY_BYTES / 2 - 1) };
    const message = { ...texts, headers: headers('own'), cc: copies('cc'), bcc: copies('bcc') };
    const request = {
      campaign: 'order',
      to: [{ contact_key: 'grown@example.com', message }],
      message: { headers: headers('request') },
    };
    const form = new FormData();
    form.set('json', JSON.stringify(request));
    // Longer than the part of a type that is kept.
    const long = `text/plain;${' '.repeat(2500)}a=b`;
    const longest = `text/plain; a="${'x'.repeat(99)}"; b="${'x'.repeat(99)}"; c="${'x'.repeat(29)}"`;
    for (let at = 0; at < FILE_COUNT; at += 1) {
      form.set(`part${at}`, new Blob(['x'], { type: at % 2 ? long : longest }), `${'🎉'.repeat(250)}.txt`);
    }
    const authorization = `Bearer ${API_KEY}`;
    const options = { method: 'POST', headers: { authorization }, body: form };
    const answer = await fetch(`${lettermill.url}/v2/send/email`, options);
    const id = expectAccepted({ status: answer.status, body: await answer.json() });
    expect((await lettermill.until(id, 'sent', 'failed')).state).toBe('sent');
  });
});
