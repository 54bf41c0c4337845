import type { ReceivedEvent } from '@lettermill/events';
import { bounced, complained, returned } from '../testing/refused.events';
import { messageId } from '../testing/requested';
import { ContactsService } from '../testing/service';
import { SuppressionsConsumer } from './suppressions.consumer';

describe('bounces and complaints of one address', () => {
  const at = '/v2/suppressions/ada@x.org';
  let service: ContactsService;
  beforeEach(async () => {
    service = await ContactsService.start();
  });
  afterEach(() => service.stop());

  const handle = (...events: ReceivedEvent[]) => service.app.get(SuppressionsConsumer).on(service.batch(events));
  /** The time after so many minutes, from the service's. */
  const after = (minutes: number) => new Date(service.now + minutes * 60_000).toISOString();
  const wait = (minutes: number) => void (service.now += minutes * 60_000);
  const release = async (reason?: string) => {
    const { status } = await service.call('DELETE', reason === undefined ? at : `${at}?reason=${reason}`);
    return status;
  };
  const shown = async () => {
    const { status, body } = await service.call('GET', at);
    return status === 404
      ? undefined
      : (body as { reason: string; message_id: string | null; unsubscribed_at: unknown });
  };
  const addressesOf = async (reason: string) => {
    const { body } = await service.call('GET', `/v2/suppressions?reason=${reason}`);
    return (body as { data: { address: string }[] }).data.map(({ address }) => address);
  };

  it('a complaint takes the place of a bounce, whose release leaves it', async () => {
    await handle(bounced(1, 'ada@x.org', true, after(0)));
    await handle(complained(2, 'ada@x.org', after(-5)));
    expect(await shown()).toMatchObject({ reason: 'complained', message_id: messageId(2), at: after(-5) });
    expect(await addressesOf('complained')).toEqual(['ada@x.org']);
    expect(await addressesOf('mailbox_unknown')).toEqual([]);
    wait(1);
    expect(await release('mailbox_unknown')).toBe(404);
    expect(await shown()).toMatchObject({ reason: 'complained' });
    expect(await release('complained')).toBe(204);
    expect(await shown()).toBeUndefined();
  });

  it.each([
    ['a complaint', 'complained', complained],
    ['a bounce', 'mailbox_unknown', returned],
  ])('%s goes before a suppression by hand, which stays when it is removed', async (_, reason, report) => {
    await service.call('PUT', at);
    await handle(report(2, 'ada@x.org', after(1)));
    expect(await shown()).toMatchObject({ reason, message_id: messageId(2) });
    wait(2);
    expect(await release('manual')).toBe(404);
    expect(await release(reason)).toBe(200);
    expect(await shown()).toMatchObject({ reason: 'manual', message_id: null, at: after(-2) });
    expect(await release('manual')).toBe(204);
    expect(await shown()).toBeUndefined();
  });

  it('a call that says that somebody complained does not lift a suppression by hand, nor does its removal', async () => {
    await service.call('PUT', at);
    await service.call('PUT', at, 'a', { reason: 'complained' });
    wait(1);
    const body = { reason: 'manual', message_id: null };
    expect(await service.call('DELETE', `${at}?reason=complained`)).toMatchObject({ status: 200, body });
    expect(await shown()).toMatchObject(body);
  });

  it('a suppression by hand is refused, rather than lost behind a bounce, if it does not count', async () => {
    await service.call('PUT', at);
    await release();
    await handle(bounced(1, 'ada@x.org', true, after(1)));
    expect(await service.call('PUT', at)).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    wait(2);
    expect(await service.call('PUT', at)).toMatchObject({ status: 200, body: { reason: 'mailbox_unknown' } });
    expect(await release()).toBe(200);
  });

  it('a complaint stays before later causes, and keeps the unsubscription beside it', async () => {
    await service.call('PUT', at, 'a', { reason: 'unsubscribed' });
    await handle(bounced(1, 'ada@x.org', true, after(1)));
    await handle(complained(2, 'ada@x.org', after(2)), bounced(3, 'ada@x.org', true, after(3)));
    await handle(complained(4, 'ada@x.org', after(4)));
    const left = { unsubscribed_at: after(0) };
    expect(await shown()).toMatchObject({ reason: 'complained', message_id: messageId(2), ...left });
    wait(5);
    expect(await release('complained')).toBe(200);
    expect(await shown()).toMatchObject({ reason: 'unsubscribed', message_id: null, ...left });
  });

  it('a call that says that somebody complained counts as a complaint', async () => {
    await handle(bounced(1, 'ada@x.org', true, after(-1)));
    const put = () => service.call('PUT', at, 'a', { reason: 'complained' });
    const body = { reason: 'complained', message_id: null };
    expect(await put()).toMatchObject({ status: 200, body });
    await handle(bounced(2, 'ada@x.org', true, after(1)));
    expect(await shown()).toMatchObject(body);
    await release();
    expect(await put()).toMatchObject({ status: 503 });
    wait(1);
    expect(await put()).toMatchObject({ status: 201, body });
  });

  it('a call that says so is refused, rather than lost, if the bounce is newer than it by the clock', async () => {
    await service.call('PUT', at);
    await release();
    await handle(bounced(1, 'ada@x.org', true, after(1)));
    const answer = await service.call('PUT', at, 'a', { reason: 'complained' });
    expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable' } });
  });

  it.each([['mailbox_unknown'], ['manual'], ['unsubscribed']])(
    'a complaint of before the release of %s alone counts',
    async (reason) => {
      await service.call('PUT', at, 'a', { reason });
      expect(await release(reason)).toBe(204);
      await handle(complained(2, 'ada@x.org', after(-9)));
      expect(await shown()).toMatchObject({ reason: 'complained', message_id: messageId(2) });
    },
  );

  it.each([['complained'], [undefined]])('a complaint of before a release does not count: %s', async (reason) => {
    await handle(complained(1, 'ada@x.org', after(-9)));
    expect(await release(reason)).toBe(204);
    await handle(complained(2, 'ada@x.org', after(-1)), returned(2, 'ada@x.org', after(-1)));
    expect(await shown()).toBeUndefined();
    await handle(complained(3, 'ada@x.org', after(1)));
    expect(await shown()).toMatchObject({ message_id: messageId(3) });
  });

  it.each([
    ['bounce', returned],
    ['complaint', complained],
  ])('the same report of a %s, dated anew each time, does not undo a release', async (_, reported) => {
    await handle(reported(1, 'ada@x.org', after(0)));
    // A release within the second that the report states comes before the end of it.
    expect(await release()).toBe(204);
    await handle(reported(1, 'ada@x.org', new Date(service.now + 999).toISOString()));
    wait(60);
    await handle(reported(1, 'ada@x.org', after(0)), reported(1, 'ada@x.org', after(1)));
    expect(await shown()).toBeUndefined();
    await handle(reported(2, 'ada@x.org', after(0)));
    expect(await shown()).toMatchObject({ message_id: messageId(2) });
    wait(1);
    await release();
    await handle(reported(2, 'ada@x.org', after(5)), reported(1, 'ada@x.org', after(5)));
    expect(await shown()).toBeUndefined();
  });

  it('the same report does not undo a release either, if another cause was shown when it came', async () => {
    await handle(bounced(1, 'ada@x.org', true, after(-9)), returned(2, 'ada@x.org', after(-8)));
    await release();
    wait(1);
    await handle(returned(2, 'ada@x.org', after(0)));
    expect(await shown()).toBeUndefined();
  });

  it('another bounce of a message that is retried suppresses the address again', async () => {
    const attempt = (number: number, time: string) => {
      const event = bounced(1, 'ada@x.org', true, time);
      return { ...event, id: `${messageId(1)}/attempt-${number}/bounced` };
    };
    await handle(attempt(1, after(-1)));
    await release('mailbox_unknown');
    await handle(attempt(1, after(1)));
    expect(await shown()).toBeUndefined();
    await handle(attempt(2, after(2)));
    expect(await shown()).toMatchObject({ reason: 'mailbox_unknown', message_id: messageId(1) });
  });
});
