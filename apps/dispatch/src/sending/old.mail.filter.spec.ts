import { idTime, type Event } from '@lettermill/events';
import type { EventPublisher } from '@lettermill/log';
import type { Config } from '@lettermill/config';
import type { DeliveryRecords } from '../deliveries/deliveries.store';
import { answeringServer } from '../testing/test.servers';
import { queued, until } from '../testing/dispatch.service';
import { dispatchFile } from '../testing/dispatched';
import { OldMailFilter } from './old.mail.filter';

const DAY_MS = 86_400_000;
const NOW = Date.parse('2026-03-01T12:00:00Z');

/** A mail whose message was accepted that many days ago. */
const aged = (days: number, name: string) => ({
  ...queued(1, name),
  message_id: `${idTime(NOW - days * DAY_MS)}${name.padEnd(11, '0')}`,
});

describe('messages older than the retention of deliveries', () => {
  it('are not sent, and are reported as failed under one id; known and younger ones are handled as usual', async () => {
    const sent: string[] = [];
    const server = await answeringServer({
      onRcptTo: ({ address }, _session, done) => {
        sent.push(address);
        done();
      },
    });
    const on = dispatchFile();
    const time = { now: NOW - 3 * DAY_MS };
    const service = await on.start(server.port, { now: () => time.now });
    const known = aged(34, 'known');
    await service.take(known);
    await until('it is sent', () => on.publishedEvents('MessageSent').length === 1);
    time.now = NOW;
    const old = aged(34, 'old');
    await service.take(known, old, aged(32, 'young'));
    await service.take(known, old);
    await until('the young one is sent', () => on.publishedEvents('MessageSent').length === 2);
    expect(sent).toEqual(['known@example.com', 'young@example.com']);
    const failures = on.publishedEvents('MessageFailed');
    expect(new Set(failures.map(({ id }) => id))).toEqual(new Set([`${old.message_id}/too-old`]));
    expect(failures[0]!.data).toMatchObject({ message_id: old.message_id, reason: { code: 'too_old' } });
  });

  it.each([
    ['below the default, as it is', 7, 10],
    ['equal to the default', 30, 33],
    ['above the default, as the default: it may have been less before', 90, 33],
    ['of 0 (for ever), as the default: it may have been less before', 0, 33],
  ])('are judged by a retention %s', async (_, retentionDays, remembered) => {
    const published: Event<'MessageFailed'>[] = [];
    const store = { find: () => Promise.resolve([]) } as unknown as DeliveryRecords;
    const publisher = {
      publish: (events: Event<'MessageFailed'>[]) => Promise.resolve(void published.push(...events)),
    } as unknown as EventPublisher;
    const config = { retryDelays: [60], retentionDays } as unknown as Config;
    const oldMails = new OldMailFilter(store, publisher, config, () => NOW);
    const event = (days: number) =>
      ({ data: aged(days, `of${days}`), traceparent: undefined }) as Event<'MessageQueued'>;
    const [young, old] = [event(remembered - 0.1), event(remembered + 0.1)];
    expect(await oldMails.refuseOld([old, young])).toEqual([young]);
    expect(published.map(({ data }) => data.message_id)).toEqual([old.data.message_id]);
    expect(published[0]).not.toHaveProperty('traceparent');
  });
});
