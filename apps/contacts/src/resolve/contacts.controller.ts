import { Controller, Get, Inject, Param, UseGuards } from '@nestjs/common';
import { TOPICS, topicsOf, type Json } from '@lettermill/events';
import { notKnownYet, Problem } from '@lettermill/problems';
import { AccountId, CAUGHT_UP, InternalGuard, type CaughtUp } from '@lettermill/runtime';
import { keyRef, type StoredContact } from './contact';
import { CONTACTS_STORE, type ContactsStore } from './contacts.store';

const CATCH_UP_TIMEOUT_MS = 1000;

/** A contact as the API answers it; times are RFC 3339. */
interface ContactBody {
  id: string;
  keys: Record<string, string>;
  profile: Json;
  version: number;
  created_at: string;
  updated_at: string;
}

function bodyOf({ id, email, sms, keys, profile, version, createdAt, updatedAt }: StoredContact): ContactBody {
  return {
    id,
    keys: { ...(email !== null && { email }), ...(sms !== null && { sms }), ...keys },
    profile: JSON.parse(profile) as Json,
    version,
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(updatedAt).toISOString(),
  };
}

/** Contacts of the account; called by the gateway. */
@Controller('v2/contacts')
@UseGuards(InternalGuard)
export class ContactsController {
  constructor(
    @Inject(CONTACTS_STORE) private readonly contacts: ContactsStore,
    @Inject(CAUGHT_UP) private readonly caughtUp: CaughtUp,
  ) {}

  /**
   * By `email`, `sms`, `id` or a custom key. Waits for a contact that was named in a send a moment ago; 404 if there is none, 503 if that
   * is not known yet.
   */
  @Get(':key/:value')
  async get(
    @AccountId() accountId: string,
    @Param('key') kind: string,
    @Param('value') value: string,
  ): Promise<ContactBody> {
    const ref = keyRef(accountId, kind, value);
    const [found] = await this.contacts.load([ref]);
    if (found) return bodyOf(found);
    const isCaughtUp = await this.caughtUp(topicsOf(TOPICS.messageRequested), CATCH_UP_TIMEOUT_MS);
    const [foundLater] = await this.contacts.load([ref]);
    if (foundLater) return bodyOf(foundLater);
    throw isCaughtUp
      ? new Problem('not_found', 'No contact has this key.')
      : notKnownYet('It may be in a call that was accepted but has not been processed yet.');
  }
}
