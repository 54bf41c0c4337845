import { setImmediate as turn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { newId } from '@lettermill/events';
import { CLOCK, type Clock } from '@lettermill/runtime';
import { StoreUnavailable } from '@lettermill/storage';
import { suppressedForm, UNSUBSCRIBED } from '../suppressions/suppression';
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
import { copiesOf } from './message.copies';
import { REFUSALS_STORE, type MessageRef, type RefusalsStore, type StoredRefusal } from './refusals.store';

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

/** What was noted when the record was read before: how the message ended, or that it continued to a recipient who had unsubscribed. */
function formerOutcome(found: StoredRefusal | undefined): Pick<MessageToResolve, 'refusal' | 'unsubscribed'> {
  if (!found) return { refusal: undefined };
  const { reason, address } = found;
  if (reason.code !== UNSUBSCRIBED) return { refusal: { reason, address } };
  return { refusal: undefined, unsubscribed: { ...reason, code: 'suppressed' } };
}

/** What has to be noted of a message before its event is published; undefined if there is nothing to note, or it was noted before. */
function noteToStore({ asked, resolution }: ResolvedMessage): StoredRefusal | undefined {
  if (asked.refusal || asked.unsubscribed) return undefined;
  const message = { accountId: asked.data.account_id, messageId: asked.data.message_id };
  if (resolution.refusal) return { ...message, ...resolution.refusal };
  const { unsubscribed, to } = resolution;
  return unsubscribed && { ...message, reason: { ...unsubscribed, code: UNSUBSCRIBED }, address: to.email };
}

/** Resolves the messages in order. Other work of the process gets its turn between large profiles: merging one takes some 20 ms. */
async function resolveEach(
  pending: PendingMessage[],
  index: ContactIndex,
  creation: ContactCreation,
): Promise<ResolvedMessage[]> {
  let chars = 0;
  for (const work of pending) {
    work.resolution = resolveMessage(work.asked, index, creation);
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
  async resolve(messages: Omit<MessageToResolve, 'refusal' | 'unsubscribed'>[]): Promise<Resolution[] | undefined> {
    const all: PendingMessage[] = messages.map((message) => ({ asked: { ...message, refusal: undefined } }));
    const maxBytes = messages.length > 1 ? MAX_LOADED_PROFILE_BYTES : Infinity;
    let pending = all;
    for (let round = 0; pending.length > 0; round += 1) {
      if (round === MAX_ROUNDS) throw new StoreUnavailable('contacts are being changed too often');
      const keys = pending.flatMap(({ asked }) => keysToLookUp(asked.data));
      const loaded = await this.contacts.loadWithin(keys, round === 0 ? maxBytes : Infinity);
      if (!loaded) return undefined;
      // Only now: a message is noted before its contact is saved, so the notes of what these contacts have applied can be read.
      await this.loadNotes(pending);
      const conflicts = await this.runRound(pending, new ContactIndex(loaded));
      pending = pending.filter(({ resolution }) => conflicts.has(resolution!.contact?.id ?? ''));
    }
    return all.map(({ resolution }) => resolution!);
  }

  private async loadNotes(pending: PendingMessage[]): Promise<void> {
    const refOf = ({ asked: { data } }: PendingMessage) => ({ accountId: data.account_id, messageId: data.message_id });
    const nameOf = ({ accountId, messageId }: MessageRef) => `${accountId} ${messageId}`;
    const found = new Map((await this.refusals.load(pending.map(refOf))).map((one) => [nameOf(one), one]));
    for (const work of pending) Object.assign(work.asked, formerOutcome(found.get(nameOf(refOf(work)))));
  }

  /** Resolves the open messages in order; returns the ids of contacts that could not be saved. */
  private async runRound(pending: PendingMessage[], index: ContactIndex): Promise<Set<string>> {
    const now = this.now();
    const creation = { now, newId: () => newId(now) };
    const resolved = await resolveEach(pending, index, creation);
    await this.applySuppressions(resolved);
    await this.storeNotes(resolved, now);
    return new Set(await this.contacts.save(index.changed()));
  }

  /** Looks up, in one call, whether the recipients and copies of all messages are suppressed. */
  private async applySuppressions(resolved: ResolvedMessage[]): Promise<void> {
    const lookups = resolved.flatMap((work) => {
      const { resolution } = work;
      if (resolution.refusal) return [];
      const { accountId } = resolution.contact;
      const refOf = (address: string) => ({ accountId, address });
      const to = refOf(suppressedForm(resolution.to.email));
      return { work, to, copies: copiesOf(work.asked).map(refOf) };
    });
    const find = await lookUpSuppressed(
      this.suppressions,
      lookups.flatMap(({ to, copies }) => [to, ...copies]),
    );
    for (const { work, to, copies } of lookups) {
      const suppressed = copies.map(find).filter((found) => found !== undefined);
      work.resolution = withSuppressions(
        work.resolution,
        { to: find(to), copies: suppressed },
        work.asked.unsubscribed,
      );
    }
  }

  /**
   * Stores a note for each message that ends here or continues to an unsubscribed recipient, so that its record has the same outcome when
   * it is read again.
   */
  private async storeNotes(resolved: ResolvedMessage[], now: number): Promise<void> {
    await this.refusals.record(
      resolved.flatMap((work) => noteToStore(work) ?? []),
      now,
    );
  }
}
