import { Inject, Injectable } from '@nestjs/common';
import { newId } from '@lettermill/events';
import { CLOCK, type Clock } from '@lettermill/runtime';
import { StoreUnavailable } from '@lettermill/storage';
import { suppressedForm } from '../suppressions/suppression';
import { lookUp } from '../suppressions/suppressions.lookup';
import { SUPPRESSIONS_STORE, type SuppressionsStore } from '../suppressions/suppressions.store';
import { ContactIndex } from './contact.index';
import { keysAsked, resolveMessage, type Asked, type Resolution } from './contact.resolve';
import { withSuppressions } from './contact.suppress';
import { CONTACTS_STORE, type ContactsStore } from './contacts.store';
import { copiesOf } from './message.copies';
import { REFUSALS_STORE, type RefusalsStore } from './refusals.store';

/** A round fails for a contact only when somebody else changed it meanwhile. */
const MAX_ROUNDS = 20;

/** Resolves many messages with one load and one save; those whose contact somebody else changed go round again. */
@Injectable()
export class ContactResolver {
  constructor(
    @Inject(CONTACTS_STORE) private readonly contacts: ContactsStore,
    @Inject(REFUSALS_STORE) private readonly refusals: RefusalsStore,
    @Inject(SUPPRESSIONS_STORE) private readonly suppressions: SuppressionsStore,
    @Inject(CLOCK) private readonly now: Clock,
  ) {}

  /** One resolution per message, in order; all of them durable. Rejects with `StoreUnavailable`. */
  async resolve(messages: Omit<Asked, 'refusal'>[]): Promise<Resolution[]> {
    // Neither needs the other.
    const [asked, first] = await Promise.all([this.withRefusals(messages), this.load(messages)]);
    const resolutions = new Array<Resolution>(asked.length);
    let open = asked.map((_, index) => index);
    for (let round = 0; open.length > 0; round += 1) {
      if (round === MAX_ROUNDS) throw new StoreUnavailable('contacts are being changed too often');
      const index = round === 0 ? first : await this.load(open.map((at) => asked[at]!));
      const conflicts = await this.round(open, asked, resolutions, index);
      open = open.filter((at) => conflicts.has(resolutions[at]!.contact?.id ?? ''));
    }
    return resolutions;
  }

  private async load(messages: Pick<Asked, 'data'>[]): Promise<ContactIndex> {
    return new ContactIndex(await this.contacts.load(messages.flatMap(({ data }) => keysAsked(data))));
  }

  private async withRefusals(messages: Omit<Asked, 'refusal'>[]): Promise<Asked[]> {
    const refs = messages.map(({ data }) => ({ accountId: data.account_id, messageId: data.message_id }));
    const known = await this.refusals.load(refs);
    const byMessage = new Map(known.map((one) => [`${one.accountId} ${one.messageId}`, one]));
    return messages.map((message, index) => {
      const found = byMessage.get(`${refs[index]!.accountId} ${refs[index]!.messageId}`);
      return { ...message, refusal: found && { reason: found.reason, address: found.address } };
    });
  }

  /** Works on the open messages and answers the ids of contacts that could not be saved. */
  private async round(
    open: number[],
    asked: Asked[],
    resolutions: Resolution[],
    index: ContactIndex,
  ): Promise<Set<string>> {
    const now = this.now();
    const making = { now, newId: () => newId(now) };
    for (const at of open) resolutions[at] = resolveMessage(asked[at]!, index, making);
    await this.suppress(open, asked, resolutions);
    await this.keepRefusals(open, asked, resolutions, now);
    return new Set(await this.contacts.save(index.changed()));
  }

  /** One look at the suppressions for all that the messages are for, copies too. */
  private async suppress(open: number[], asked: Asked[], resolutions: Resolution[]): Promise<void> {
    const meant = open.flatMap((at) => {
      const resolution = resolutions[at]!;
      if (resolution.refusal) return [];
      const { accountId } = resolution.contact;
      const refOf = (address: string) => ({ accountId, address });
      const to = refOf(suppressedForm(resolution.to.email));
      return { at, resolution, to, copies: copiesOf(asked[at]!).map(refOf) };
    });
    const find = await lookUp(
      this.suppressions,
      meant.flatMap(({ to, copies }) => [to, ...copies]),
    );
    for (const { at, resolution, to, copies } of meant) {
      const suppressed = copies.map(find).filter((found) => found !== undefined);
      resolutions[at] = withSuppressions(resolution, { to: find(to), copies: suppressed });
    }
  }

  private async keepRefusals(open: number[], asked: Asked[], resolutions: Resolution[], now: number): Promise<void> {
    const fresh = open.flatMap((at) => {
      const { refusal: found } = resolutions[at]!;
      const message = asked[at]!;
      if (!found || message.refusal) return [];
      message.refusal = found;
      return { accountId: message.data.account_id, messageId: message.data.message_id, ...found };
    });
    await this.refusals.record(fresh, now);
  }
}
