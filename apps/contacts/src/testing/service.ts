import { BLOB_STORE } from '@lettermill/blobs';
import type { AnyEvent } from '@lettermill/events';
import { EVENT_LOG, EventPublisher } from '@lettermill/log';
import { LOGGER } from '@lettermill/runtime';
import { OwnerService } from '../../../../test/owner.service';
import { ContactsModule } from '../contacts.module';

/** The contacts service, its blobs and what it publishes in memory. */
export class ContactsService extends OwnerService {
  readonly published: AnyEvent[][] = [];
  readonly blobs = new Map<string, Buffer>();
  readonly blobReads: string[] = [];

  static start(): Promise<ContactsService> {
    const service = new ContactsService();
    const publish = (events: AnyEvent[]) => Promise.resolve(void service.published.push(events));
    const get = (accountId: string, blob: string) => {
      service.blobReads.push(blob);
      return Promise.resolve(service.blobs.get(`${accountId}/${blob}`));
    };
    return service.open(ContactsModule, [
      { provide: BLOB_STORE, useValue: { get } },
      { provide: EVENT_LOG, useValue: {} },
      { provide: LOGGER, useValue: {} },
      { provide: EventPublisher, useValue: { publish } },
    ]);
  }

  /** All that was published, in order; forgets it. */
  said(): AnyEvent[] {
    return this.published.splice(0).flat();
  }
}
