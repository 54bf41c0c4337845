import { BLOB_STORE } from '@lettermill/blobs';
import { decodeEvent, TOPICS, topicsOf, type AnyEvent, type RawRecord } from '@lettermill/events';
import { EVENT_LOG, EventPublisher } from '@lettermill/log';
import { LOGGER } from '@lettermill/runtime';
import { OwnerService } from '../../../../libs/runtime/src/testing/owner.service';
import { ContactsModule } from '../contacts.module';
import { CONTACTS_STORE, type ContactsStore } from '../resolve/contacts.store';
import { REFUSALS_STORE, type RefusalsStore } from '../resolve/refusals.store';

/** Positions of the log that the messages come from; no test reads beyond its end. */
const ENDLESS_LOG = topicsOf(TOPICS.messageRequested).flatMap((topic) =>
  Array.from({ length: 16 }, (_, partition) => ({ topic, partition, end: Infinity })),
);

/** The contacts service; its blobs and what it publishes are in memory. */
export class ContactsService extends OwnerService {
  readonly published: AnyEvent[][] = [];
  readonly blobs = new Map<string, Buffer>();
  readonly blobReads: string[] = [];

  static start(): Promise<ContactsService> {
    const service = new ContactsService();
    const append = (records: RawRecord[]) => {
      const events = records.map((record, position) => decodeEvent({ ...record, partition: 0, position }));
      return Promise.resolve(void service.published.push(events));
    };
    const get = (accountId: string, blob: string) => {
      service.blobReads.push(blob);
      return Promise.resolve(service.blobs.get(`${accountId}/${blob}`));
    };
    return service.open(ContactsModule, [
      { provide: BLOB_STORE, useValue: { get } },
      {
        provide: EVENT_LOG,
        useValue: { positions: () => Promise.resolve(ENDLESS_LOG), read: () => Promise.resolve([]) },
      },
      { provide: LOGGER, useValue: {} },
      { provide: EventPublisher, useValue: { append } },
    ]);
  }

  get contacts(): ContactsStore {
    return this.app.get<ContactsStore>(CONTACTS_STORE);
  }

  get refusals(): RefusalsStore {
    return this.app.get<RefusalsStore>(REFUSALS_STORE);
  }

  /** Returns everything published since the last call, in order. */
  takePublished(): AnyEvent[] {
    return this.published.splice(0).flat();
  }
}
