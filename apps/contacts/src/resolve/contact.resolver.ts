import { setImmediate as turn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { newId } from '@lettermill/events';
import { CLOCK, type Clock } from '@lettermill/runtime';
import { StoreUnavailable } from '@lettermill/storage';
import { suppressedForm, UNSUBSCRIBED } from '../suppressions/suppression';
import { lookUp } from '../suppressions/suppressions.lookup';
import { SUPPRESSIONS_STORE, type SuppressionsStore } from '../suppressions/suppressions.store';
import { ContactIndex } from './contact.index';
import { keysAsked, resolveMessage, type Asked, type Making, type Resolution } from './contact.resolve';
import { withSuppressions } from './contact.suppress';
import { CONTACTS_STORE, type ContactsStore } from './contacts.store';
import { copiesOf } from './message.copies';
import { REFUSALS_STORE, type RefusalsStore, type StoredRefusal } from './refusals.store';

/** A contact fails in a round only if another process changed it meanwhile. */
const MAX_ROUNDS = 20;
/** Characters of profiles to merge before other work of the process gets its turn. */
const TURN_CHARS = 512 * 1024;
/** Bytes of profiles in memory at once: five hundred contacts may have 128 MiB, and the store's thread dies if it runs out of memory. */
const MOST_BYTES = 8 * 1024 * 1024;

/** A message and its resolution, once there is one. */
interface Work {
  asked: Asked;
  /** The result of the last round. */
  resolution?: Resolution;
}

type Resolved = Required<Work>;

const keysOfAll = (messages: Pick<Asked, 'data'>[]) => messages.flatMap(({ data }) => keysAsked(data));

/** What was noted when the record was read before: how the message ended, or that it continued to a recipient who had unsubscribed. */
function notedBefore(found: StoredRefusal | undefined): Pick<Asked, 'refusal' | 'unsubscribed'> {
  if (!found) return { refusal: undefined };
  const { reason, address } = found;
  if (reason.code !== UNSUBSCRIBED) return { refusal: { reason, address } };
  return { refusal: undefined, unsubscribed: { ...reason, code: 'suppressed' } };
}

/** What has to be noted of a message before its event is published; undefined if there is nothing to note, or it was noted before. */
function noteOf({ asked, resolution }: Resolved): StoredRefusal | undefined {
  if (asked.refusal || asked.unsubscribed) return undefined;
  const message = { accountId: asked.data.account_id, messageId: asked.data.message_id };
  if (resolution.refusal) return { ...message, ...resolution.refusal };
  const { unsubscribed, to } = resolution;
  return unsubscribed && { ...message, reason: { ...unsubscribed, code: UNSUBSCRIBED }, address: to.email };
}

/** Resolves the messages in order. Other work of the process gets its turn between large profiles: merging one takes some 20 ms. */
async function resolveEach(open: Work[], index: ContactIndex, making: Making): Promise<Resolved[]> {
  let chars = 0;
  for (const work of open) {
    work.resolution = resolveMessage(work.asked, index, making);
    chars += work.resolution.contact?.profile.length ?? 0;
    if (chars < TURN_CHARS) continue;
    chars = 0;
    await turn();
  }
  return open as Resolved[];
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
  async resolve(messages: Omit<Asked, 'refusal' | 'unsubscribed'>[]): Promise<Resolution[] | undefined> {
    // These reads are independent of each other.
    const [all, found] = await Promise.all([
      this.withNotes(messages),
      this.contacts.loadWithin(keysOfAll(messages), messages.length > 1 ? MOST_BYTES : Infinity),
    ]);
    if (!found) return undefined;
    let open = all;
    for (let round = 0; open.length > 0; round += 1) {
      if (round === MAX_ROUNDS) throw new StoreUnavailable('contacts are being changed too often');
      const loaded = round === 0 ? found : await this.contacts.load(keysOfAll(open.map(({ asked }) => asked)));
      const conflicts = await this.round(open, new ContactIndex(loaded));
      open = open.filter(({ resolution }) => conflicts.has(resolution!.contact?.id ?? ''));
    }
    return all.map(({ resolution }) => resolution!);
  }

  private async withNotes(messages: Omit<Asked, 'refusal' | 'unsubscribed'>[]): Promise<Work[]> {
    const refs = messages.map(({ data }) => ({ accountId: data.account_id, messageId: data.message_id }));
    const known = await this.refusals.load(refs);
    const byMessage = new Map(known.map((one) => [`${one.accountId} ${one.messageId}`, one]));
    return messages.map((message, at) => {
      const found = byMessage.get(`${refs[at]!.accountId} ${refs[at]!.messageId}`);
      return { asked: { ...message, ...notedBefore(found) } };
    });
  }

  /** Resolves the open messages in order; returns the ids of contacts that could not be saved. */
  private async round(open: Work[], index: ContactIndex): Promise<Set<string>> {
    const now = this.now();
    const making = { now, newId: () => newId(now) };
    const resolved = await resolveEach(open, index, making);
    await this.suppress(resolved);
    await this.keepNotes(resolved, now);
    return new Set(await this.contacts.save(index.changed()));
  }

  /** Looks up, in one call, whether the recipients and copies of all messages are suppressed. */
  private async suppress(open: Resolved[]): Promise<void> {
    const meant = open.flatMap((work) => {
      const { resolution } = work;
      if (resolution.refusal) return [];
      const { accountId } = resolution.contact;
      const refOf = (address: string) => ({ accountId, address });
      const to = refOf(suppressedForm(resolution.to.email));
      return { work, to, copies: copiesOf(work.asked).map(refOf) };
    });
    const find = await lookUp(
      this.suppressions,
      meant.flatMap(({ to, copies }) => [to, ...copies]),
    );
    for (const { work, to, copies } of meant) {
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
  private async keepNotes(open: Resolved[], now: number): Promise<void> {
    const notes = open.flatMap((work) => {
      const note = noteOf(work);
      if (note) Object.assign(work.asked, notedBefore(note));
      return note ?? [];
    });
    await this.refusals.record(notes, now);
  }
}
