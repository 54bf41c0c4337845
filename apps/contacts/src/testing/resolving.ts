import type { AnyEvent, MessageRequested } from '@lettermill/events';
import { ResolveConsumer } from '../resolve/resolve.consumer';
import { SUPPRESSIONS_STORE, type SuppressionsStore } from '../suppressions/suppressions.store';
import { messageId, requestedEvent } from './requested';
import type { ContactsService } from './service';

export type Placed = [message: MessageRequested, position: number, partition?: number];

/** The events published, in one append, for messages whose records lie at these places. */
export async function publishedAt(service: ContactsService, records: Placed[]): Promise<AnyEvent[]> {
  const events = records.map(([data, position, partition]) => requestedEvent(data, position, partition));
  await service.app.get(ResolveConsumer).on(service.batch(events));
  expect(service.published.length).toBe(1);
  return service.takePublished();
}

/** Of these events the one of each message that carries it on or ends it. */
export async function resolvedAt(service: ContactsService, records: Placed[]): Promise<AnyEvent[]> {
  return (await publishedAt(service, records)).filter(({ type }) => type !== 'ContactChanged');
}

export async function suppressAddress(
  service: ContactsService,
  address: string,
  reason = 'mailbox_unknown',
  accountId = 'a',
): Promise<void> {
  const cause = { accountId, address, reason, messageId: messageId(99), at: 1_700_000_000_000 };
  await service.app.get<SuppressionsStore>(SUPPRESSIONS_STORE).add([cause]);
}

export async function releaseAddress(service: ContactsService, address: string): Promise<void> {
  await service.app.get<SuppressionsStore>(SUPPRESSIONS_STORE).release({ accountId: 'a', address }, 2e12);
}

/** Type of each event, with the code of its reason. */
export const outline = (events: AnyEvent[]) =>
  events.map(({ type, data }) =>
    [type, (data as { reason?: { code: string } }).reason?.code].filter(Boolean).join(' '),
  );
