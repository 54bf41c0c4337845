import { installedWithSink } from '../installations/installed';
import { API_KEY, waitFor, type Ack, type Answer } from '../installations/lettermill';
import { idsOf, MODES, NamedCall, problemOf, isReplayed, waitUntilSeen } from './named.calls';

const EQUAL_REQUESTS = 50;
const URL_FILE = { attachment_type: 'url', file_name: 'a.txt' };
const repeat = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i));

describe('the identity of requests', () => {
  const { sink, lettermill } = installedWithSink({ RETRY_DELAYS: '1,1,1', RATE_LIMIT: '0' });
  beforeAll(() => lettermill.launch('order'));

  const accepted = (answers: Answer<Ack>[]) => answers.filter(({ status }) => status === 202);
  const notAccepted = (answers: Answer<Ack>[]) => answers.filter(({ status }) => status !== 202);

  /** Expects that each address has one message, the one in the answer, and one mail. */
  async function expectOneMailEach({ name, addresses }: NamedCall, ack: Ack): Promise<void> {
    const mails = () => addresses.map((address) => sink.mailsTo(address).length);
    await waitFor(() => mails().every((count) => count > 0), `mails to ${addresses[0]} and others`);
    await waitUntilSeen(lettermill, `after-${name}`);
    const found = (await Promise.all(addresses.map((address) => lettermill.messages(`contact=${address}`)))).flat();
    expect(found.map(({ message_id }) => message_id)).toEqual(idsOf(ack));
    expect(mails()).toEqual(addresses.map(() => 1));
  }

  describe.each(MODES)('fifty equal requests at once: %s', (mode) => {
    it.each([1, 100])('of %i recipients: one is accepted, and the other answers refer to it', async (recipients) => {
      const call = new NamedCall(`twins-${mode}-${recipients}`, mode, recipients);
      const answers = await Promise.all(repeat(EQUAL_REQUESTS, () => call.send(lettermill)));
      const first = answers.filter((answer) => answer.status === 202 && !isReplayed(answer));
      expect(first).toHaveLength(1);
      const ack = first[0]!.body;
      for (const answer of answers) {
        if (answer.status === 202) expect(answer.body).toEqual(ack);
        else if (answer.status === 409) {
          expect(problemOf(answer).code).toBe('request_in_progress');
          expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
        } else {
          expect([answer.status, mode]).toEqual([422, 'ids']);
          const { errors } = problemOf(answer);
          expect(errors.map(({ code }) => code)).toEqual(call.ids.map(() => 'external_message_id_taken'));
          expect(errors.map(({ message_id }) => message_id)).toEqual(idsOf(ack));
        }
      }
      if (mode === 'ids') expect(accepted(answers)).toHaveLength(1);
      await expectOneMailEach(call, ack);
    });
  });

  it('one key with two bodies: all accepted requests have the same body', async () => {
    const bodies = [
      { campaign: 'order', to: 'one-of-two@example.com' },
      { campaign: 'order', to: 'two-of-two@example.com' },
    ];
    const headers = { 'idempotency-key': 'two-bodies' };
    const answers = await Promise.all(repeat(EQUAL_REQUESTS, (i) => lettermill.send(bodies[i % 2], headers)));
    const acks = accepted(answers).map(({ body }) => JSON.stringify(body));
    expect(new Set(acks).size).toBe(1);
    const refused = notAccepted(answers).filter(({ status }) => status !== 409);
    expect(refused.map((answer) => problemOf(answer).code)).toEqual(refused.map(() => 'idempotency_key_reused'));
    await waitUntilSeen(lettermill, 'after-two-bodies');
    const found = await Promise.all(bodies.map(({ to }) => lettermill.messages(`contact=${to}`)));
    expect(found.map(({ length }) => length).sort()).toEqual([0, 1]);
  });

  it('requests that share ids: each id names one message, each request is accepted whole or not at all', async () => {
    const ids = repeat(12, (i) => `shared.${i}`);
    const idsOfRequest = (i: number) => [0, 5, 7].map((step) => ids[(i + step) % ids.length]!);
    const answers = await Promise.all(
      repeat(EQUAL_REQUESTS, (i) =>
        lettermill.send({
          campaign: 'order',
          to: idsOfRequest(i).map((id) => ({ contact_key: `${id}.${i}@example.com`, external_message_id: id })),
        }),
      ),
    );
    expect(answers.filter(({ status }) => ![202, 409, 422].includes(status))).toEqual([]);
    const acks = accepted(answers).map(({ body }) => body);
    expect(acks.length).toBeGreaterThanOrEqual(1);
    const named = acks.flatMap(({ messages }) => messages.map(({ external_message_id }) => external_message_id));
    expect(new Set(named).size).toBe(named.length);
    await waitUntilSeen(lettermill, 'after-shared');
    const all = await lettermill.messages();
    const ours = all.filter(({ external_message_id: id }) => ids.includes(String(id)));
    expect(ours.map(({ message_id }) => message_id).sort()).toEqual(acks.flatMap(idsOf).sort());
  });

  describe('the same request', () => {
    const sendTwice = async (first: unknown, second: unknown, key: string) => {
      const one = await lettermill.send(first, { 'idempotency-key': key });
      return [one, await lettermill.send(second, { 'idempotency-key': key })] as const;
    };

    it('may have its JSON written differently', async () => {
      const [one, two] = await sendTwice(
        '{"campaign":"order","to":{"contact_key":"same@example.com","profile_data":{"a":1,"b":[1.0,"é"]}}}',
        '\ufeff{ "to": {"profile_data":{"b":[1,"\\u00e9"],"a":1e0},"contact_key":"same@example.com"}, "campaign":"order" }',
        'same-json',
      );
      expect([one.status, two.status, isReplayed(one), isReplayed(two)]).toEqual([202, 202, false, true]);
      expect(two.body).toEqual(one.body);
    });

    it.each([
      ['another order of recipients', { to: ['d1@example.com', 'd0@example.com'] }],
      ['one recipient less', { to: ['d0@example.com'] }],
      ['data that was not there', { profile_data: {} }],
      ['the campaign by another name', { campaign: { slug: 'order' } }],
    ])('is not one with %s', async (name, change) => {
      const first = { campaign: 'order', to: ['d0@example.com', 'd1@example.com'] };
      const [one, two] = await sendTwice(first, { ...first, ...change }, `other ${name}`.replaceAll(' ', '-'));
      expect([one.status, two.status, problemOf(two).code]).toEqual([202, 422, 'idempotency_key_reused']);
    });

    it('has the same files under the same names', async () => {
      const upload = (bytes: string, fileName: string) => {
        const form = new FormData();
        form.set('json', new Blob(['{"campaign":"order","to":"files@example.com"}'], { type: 'application/json' }));
        form.set('file', new Blob([bytes], { type: 'text/plain' }), fileName);
        return fetch(`${lettermill.url}/v2/send/email`, {
          method: 'POST',
          headers: { authorization: `Bearer ${API_KEY}`, 'idempotency-key': 'files' },
          body: form,
        });
      };
      const answers = [
        await upload('bytes', 'a.txt'),
        await upload('bytes', 'a.txt'),
        await upload('others', 'a.txt'),
        await upload('bytes', 'b.txt'),
      ];
      expect(answers.map(({ status }) => status)).toEqual([202, 202, 422, 422]);
      expect(await answers[1]!.json()).toEqual(await answers[0]!.json());
    });
  });

  it.each([
    ['an unknown campaign', 422, { campaign: 'no-such' }],
    ['a broken rule', 422, { message: { subject: 'a\r\nb' } }],
    ['a template that does not parse', 422, { message: { text: '{% if %}' } }],
    ['a file that is not there', 422, { attachments: [{ file_ref: '6f1c1f0e-8a3e-4c1f-9a52-0d6f2f1b7c11' }] }],
    ['an address that is not fetched', 422, { attachments: [{ ...URL_FILE, data: 'https://127.0.0.1/private' }] }],
  ])('a request refused for %s, even several at once, leaves its key and ids unused', async (name, status, change) => {
    const call = new NamedCall(`wrong-${name.replaceAll(' ', '-')}`, 'both', 3);
    const wrong = { ...call.body, ...change };
    const refused = await Promise.all(repeat(5, () => lettermill.send(wrong, call.headers)));
    expect(refused.map((answer) => [answer.status, problemOf(answer).code])).toEqual(
      refused.map(() => [status, 'validation_failed']),
    );
    const good = await call.send(lettermill);
    expect([good.status, isReplayed(good)]).toEqual([202, false]);
    await expectOneMailEach(call, good.body);
  });

  it('a request whose id is taken leaves its key and other ids unused', async () => {
    const to = (...ids: string[]) =>
      ids.map((id) => ({ contact_key: `${id}@example.com`, external_message_id: `free.${id}` }));
    const taken = await lettermill.send({ campaign: 'order', to: to('t') });
    const refused = await lettermill.send({ campaign: 'order', to: to('f', 't', 'g') }, { 'idempotency-key': 'free' });
    expect([refused.status, problemOf(refused).errors]).toEqual([
      422,
      [expect.objectContaining({ pointer: '/to/1/external_message_id', message_id: idsOf(taken.body)[0] })],
    ]);
    const good = await lettermill.send({ campaign: 'order', to: to('f', 'g') }, { 'idempotency-key': 'free' });
    expect([good.status, isReplayed(good)]).toEqual([202, false]);
  });
});
