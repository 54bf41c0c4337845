import { setImmediate as turn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { newId } from '@lettermill/events';
import { CLOCK, type Clock } from '@lettermill/runtime';
import { StoreUnavailable } from '@lettermill/storage';
import { suppressedForm } from '../suppressions/suppression';
import { lookUpSuppressed } from '../suppressions/suppressions.lookup';
import { SUPPRESSIONS_STORE, type SuppressionsStore } from '../suppressions/suppressions.store';
import { ContactIndex } from './contact.index';
import {
  keysToLookUp,
  resolveMessage,
  type MessageToResolve,
  type ContactCreation,
  type Resolution,
} from './contact.resolve';
import { withSuppressions } from './contact.suppress';
import { CONTACTS_STORE, type ContactsStore } from './contacts.store';
import { FormerOutcomes } from './former.outcomes';
import { copiesOf } from './message.copies';
import { REFUSALS_STORE, type RefusalsStore, type StoredRefusal } from './refusals.store';

/** A contact fails in a round only if another process changed it meanwhile. */
const MAX_ROUNDS = 20;
/** Characters of profiles to merge before other work of the process gets its turn. */
const MAX_CHARS_PER_TURN = 512 * 1024;
/** Bytes of profiles in memory at once: five hundred contacts may have 128 MiB, and the store's thread dies if it runs out of memory. */
const MAX_LOADED_PROFILE_BYTES = 8 * 1024 * 1024;

/** A message and its resolution, once there is one. */
interface PendingMessage {
  asked: MessageToResolve;
  /** The result of the last round. */
  resolution?: Resolution;
}

type ResolvedMessage = Required<PendingMessage>;

/**
 * Resolves the messages in order; one that ends here ends its later copies, and one that goes on is not carried on by another request, too.
 * Other work of the process gets its turn between large profiles: merging one takes some 20 ms.
 */
async function resolveEach(
  pending: PendingMessage[],
  former: FormerOutcomes,
  index: ContactIndex,
  creation: ContactCreation,
): Promise<ResolvedMessage[]> {
  let chars = 0;
  for (const work of pending) {
    const { data } = work.asked;
    const { refusal, carriedBy = data.request_id } = former.of(data);
    work.asked.refusal = refusal;
    work.asked.isCarried = carriedBy !== data.request_id;
    work.resolution = resolveMessage(work.asked, index, creation);
    former.note(data, work.resolution);
    chars += work.resolution.contact?.profile.length ?? 0;
    if (chars < MAX_CHARS_PER_TURN) continue;
    chars = 0;
    await turn();
  }
  return pending as ResolvedMessage[];
}

/**
 * Resolves many messages with one load and one save; messages whose contact was changed by another process are resolved again in the next
 * round.
 */
@Injectable()
export class ContactResolver {
  constructor(
    @Inject(CONTACTS_STORE) private readonly contacts: ContactsStore,
    @Inject(REFUSALS_STORE) private readonly refusals: RefusalsStore,
    @Inject(SUPPRESSIONS_STORE) private readonly suppressions: SuppressionsStore,
    @Inject(CLOCK) private readonly now: Clock,
  ) {}

  /**
   * One resolution per message, in order; all of them are durable. Resolves to undefined, with nothing changed, if the profiles of the
   * contacts are too large to be in memory at once: then the caller must pass fewer messages. Rejects with `StoreUnavailable`.
   */
  async resolve(messages: Omit<MessageToResolve, 'refusal' | 'isCarried'>[]): Promise<Resolution[] | undefined> {
    const all: PendingMessage[] = messages.map((message) => ({
      asked: { ...message, refusal: undefined, isCarried: false },
    }));
    const maxBytes = messages.length > 1 ? MAX_LOADED_PROFILE_BYTES : Infinity;
    let pending = all;
    for (let round = 0; pending.length > 0; round += 1) {
      if (round === MAX_ROUNDS) throw new StoreUnavailable('contacts are being changed too often');
      const keys = pending.flatMap(({ asked }) => keysToLookUp(asked.data));
      const loaded = await this.contacts.loadWithin(keys, round === 0 ? maxBytes : Infinity);
      if (!loaded) return undefined;
      // Only now: a message is noted before its contact is saved, so the notes of what these contacts have applied can be read.
      const notes = await this.loadNotes(pending);
      const conflicts = await this.runRound(pending, notes, new ContactIndex(loaded));
      pending = pending.filter(({ resolution }) => conflicts.has(resolution!.contact?.id ?? ''));
    }
    return all.map(({ resolution }) => resolution!);
  }

  private loadNotes(pending: PendingMessage[]): Promise<StoredRefusal[]> {
    return this.refusals.load(
      pending.map(({ asked: { data } }) => ({ accountId: data.account_id, messageId: data.message_id })),
    );
  }

  /** Resolves the open messages in order; returns the ids of contacts that could not be saved. */
  private async runRound(pending: PendingMessage[], notes: StoredRefusal[], index: ContactIndex): Promise<Set<string>> {
    const now = this.now();
    const creation = { now, newId: () => newId(now) };
    const resolved = await resolveEach(pending, new FormerOutcomes(notes), index, creation);
    const former = new FormerOutcomes(notes);
    await this.applySuppressions(resolved, former);
    // Before the contacts: these know which records they have applied, whose outcome must be known then.
    await this.refusals.record(former.noted(), now);
    return new Set(await this.contacts.save(index.changed()));
  }

  /**
   * Looks up, in one call, whether the recipients and copies of all messages are suppressed, and decides in order: what is decided of the
   * first record of a message holds for the others.
   */
  private async applySuppressions(resolved: ResolvedMessage[], former: FormerOutcomes): Promise<void> {
    const lookups = resolved.map(({ asked, resolution }) => {
      if (!resolution.to) return { copies: [] };
      const { accountId } = resolution.contact;
      const refOf = (address: string) => ({ accountId, address });
      return { to: refOf(suppressedForm(resolution.to.email)), copies: copiesOf(asked).map(refOf) };
    });
    const find = await lookUpSuppressed(
      this.suppressions,
      lookups.flatMap(({ to, copies }) => (to ? [to, ...copies] : [])),
    );
    resolved.forEach((work, at) => {
      const { to, copies } = lookups[at]!;
      const suppressed = copies.map(find).filter((found) => found !== undefined);
      const { data } = work.asked;
      const found = { to: to && find(to), copies: suppressed };
      work.resolution = withSuppressions(work.resolution, found, former.of(data));
      former.note(data, work.resolution);
    });
  }
}
