import { installedWithSink } from '../installations/installed';
import { waitFor } from '../installations/lettermill';

const CONTACT_COUNT = 20;
/** Recipients of one call: a body may have at most 500,000 values. */
const RECIPIENTS_PER_CALL = 10;
/** If all profiles were parsed at the same time, it would take three times as much. */
const HEAP_LIMIT = '--max-old-space-size=120';
const TIMEOUT_MS = 120_000;

const address = (at: number) => `c${at}@example.com`;
/** 64 KiB of empty objects. */
const DENSE_DATA = JSON.parse(`[${'{},'.repeat(21_600)}{}]`) as unknown;

describe('contacts whose profiles have many values in few bytes', () => {
  const { sink, lettermill } = installedWithSink({ RATE_LIMIT: '0', NODE_OPTIONS: HEAP_LIMIT });
  beforeAll(() => lettermill.launch('order'));

  const contacts = Array.from({ length: CONTACT_COUNT }, (_, at) => at);
  const send = async (to: unknown[], more: object = {}) => {
    expect((await lettermill.send({ campaign: 'order', to, ...more })).status).toBe(202);
  };

  const waitForMails = (count: number) => waitFor(() => sink.mails.length >= count, `${count} mails`, TIMEOUT_MS);

  it(
    'get their mail, all in one call',
    async () => {
      for (const field of ['a', 'b', 'c']) {
        for (let from = 0; from < CONTACT_COUNT; from += RECIPIENTS_PER_CALL) {
          const some = contacts.slice(from, from + RECIPIENTS_PER_CALL);
          await send(some.map((at) => ({ contact_key: address(at), profile_data: { [field]: DENSE_DATA } })));
        }
      }
      await send(contacts.map(address));
      await waitForMails(4 * CONTACT_COUNT);
    },
    2 * TIMEOUT_MS,
  );

  it(
    'get their mail, each by a call with such data at its top level',
    async () => {
      const before = sink.mails.length;
      for (const at of contacts) await send([address(at)], { profile_data: { a: DENSE_DATA, at } });
      await waitForMails(before + CONTACT_COUNT);
    },
    2 * TIMEOUT_MS,
  );
});
