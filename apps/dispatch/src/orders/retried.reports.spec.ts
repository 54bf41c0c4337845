import { InboundReports } from '../bounces/inbound';
import { rawServer } from '../testing/test.servers';
import { messageId, queued, until } from '../testing/dispatch.service';
import { dispatchFile } from '../testing/dispatched';
import { dsn } from '../testing/bounce.parts';
import { ARF } from '../testing/other.mails';
import { Orders } from './orders';

const KEY = { accountId: 'default', messageId: messageId(1) };
const AN_HOUR = 3_600;
const aboutOurs = (raw: string) =>
  raw.replaceAll('0000000000000000AB', KEY.messageId).replaceAll('ada@example.org', 'ada@example.com');
const COMPLAINT = aboutOurs(ARF);
const BOUNCE = aboutOurs(dsn(['Final-Recipient: rfc822; ada@example.org', 'Action: failed', 'Status: 5.1.1']));

/** Dispatch with a message to ada, before a hop that says this after each final dot. */
async function dispatchBefore(dots: string[], retryDelays: number[]) {
  const server = await rawServer({ dot: () => dots.shift() });
  const on = dispatchFile();
  const service = await on.start(server.port, { retryDelays });
  await service.take(queued(1, 'ada'));
  const orders = service.app.get(Orders);
  const reports = service.app.get(InboundReports);
  return {
    on,
    retry: () => orders.retry(KEY, []),
    cancel: () => orders.cancel(KEY, false),
    report: (raw: string) => reports.take({ accountId: 'default', raw: Buffer.from(raw), envelopeTo: null }),
    isNow: (attempts: number, state: string) =>
      until(`attempt ${attempts} ends ${state}`, async () => {
        const [found] = await service.store.find([KEY]);
        return found?.attempts === attempts && found.state === state;
      }),
  };
}

it('a retry of a bounced mail forgets the bounce, not that the mail may have arrived before', async () => {
  const dots = ['cut', '550 5.7.1 no', '451 4.7.1 later', '550 5.7.1 no'];
  const { on, retry, cancel, report, isNow } = await dispatchBefore(dots, [0.02, 0.02, AN_HOUR, AN_HOUR]);
  await isNow(2, 'bounced');
  await retry();
  await isNow(3, 'deferred');
  expect((await report(BOUNCE)).recorded).toBe(false);
  await isNow(3, 'deferred');
  expect((await report(COMPLAINT)).recorded).toBe(true);
  await retry();
  await isNow(4, 'bounced');
  expect((await report(COMPLAINT)).recorded).toBe(true);
  const ids = on.publishedEvents('MessageComplained').map(({ id }) => id);
  expect(ids).toEqual(Array(2).fill(`${KEY.messageId}/complained 3/ada@example.com`));
  dots.push('451 4.7.1 later');
  await retry();
  await isNow(5, 'failed');
  await until('it is told', () => on.publishedEvents('MessageFailed').length === 1);
  expect(JSON.stringify(on.publishedEvents('MessageFailed'))).toContain('An earlier attempt may have delivered it.');
  expect((await report(COMPLAINT)).recorded).toBe(true);
  await expect(cancel()).rejects.toThrow('has failed');
});

it('a report is the same event after each attempt that follows by itself', async () => {
  const { on, report, isNow } = await dispatchBefore(['cut'], [0.5]);
  await isNow(1, 'uncertain');
  await report(COMPLAINT);
  await isNow(2, 'sent');
  await report(COMPLAINT);
  const told = on.publishedEvents('MessageComplained');
  expect(told).toHaveLength(2);
  expect(new Set(told.map(({ id }) => id)).size).toBe(1);
});

it('a complaint counts after a bounce has ended the mail, which is recorded once', async () => {
  const { report, isNow } = await dispatchBefore(['cut'], [AN_HOUR]);
  await isNow(1, 'uncertain');
  expect((await report(BOUNCE)).recorded).toBe(true);
  await isNow(1, 'bounced');
  expect((await report(COMPLAINT)).recorded).toBe(true);
  expect((await report(BOUNCE)).recorded).toBe(false);
});
