import { installedWithSink } from '../installations/installed';
import { waitFor } from '../installations/lettermill';

const CONTACTS = 20;
/** Recipients of one call: a body may have at most 500,000 values. */
const TOGETHER = 10;
/** If all profiles were parsed at the same time, it would take three times as much. */
const HEAP = '--max-old-space-size=120';
const WAIT_MS = 120_000;

const address = (at: number) => `c${at}@example.com`;
/** 64 KiB of empty objects. */
const DENSE = JSON.parse(`[${'{},'.repeat(21_600)}{}]`) as unknown;

describe('contacts whose profiles have many values in few bytes', () => {
  const { sink, lettermill } = installedWithSink({ RATE_LIMIT: '0', NODE_OPTIONS: HEAP });
  beforeAll(() => lettermill.launch('order'));

  const contacts = Array.from({ length: CONTACTS }, (_, at) => at);
  const send = async (to: unknown[], more: object = {}) => {
    expect((await lettermill.send({ campaign: 'order', to, ...more })).status).toBe(202);
  };

  const mails = (count: number) => waitFor(() => sink.mails.length >= count, `${count} mails`, WAIT_MS);

  it(
    'get their mail, all in one call',
    async () => {
      for (const field of ['a', 'b', 'c']) {
        for (let from = 0; from < CONTACTS; from += TOGETHER) {
          const some = contacts.slice(from, from + TOGETHER);
          await send(some.map((at) => ({ contact_key: address(at), profile_data: { [field]: DENSE } })));
        }
      }
      await send(contacts.map(address));
      await mails(4 * CONTACTS);
    },
    2 * WAIT_MS,
  );

  it(
    'get their mail, each by a call with such data at its top level',
    async () => {
      const before = sink.mails.length;
      for (const at of contacts) await send([address(at)], { profile_data: { a: DENSE, at } });
      await mails(before + CONTACTS);
    },
    2 * WAIT_MS,
  );
});
