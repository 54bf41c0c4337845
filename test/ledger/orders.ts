import { setTimeout as pause } from 'node:timers/promises';
import { dsn } from '../../apps/dispatch/src/testing/bounce.parts';
import type { Lettermill } from '../installations/lettermill';
import type { ClientEntry, OrderEntry } from './entries';
import type { Journal } from './journal';
import type { MailServer } from './mail.server';

const RETRY_DELAY_MS = 100;
/** An order comes within this time after its message was accepted. */
const MAX_DELAY_MS = 3_000;

/**
 * Orders about messages that were accepted: some are cancelled, some retried, and some that have arrived are returned by a later server.
 * An order without an answer is repeated, perhaps at another gateway.
 */
export class Orders {
  stopped = false;
  private readonly given: Promise<void>[] = [];

  constructor(
    private readonly journal: Journal<ClientEntry>,
    private readonly server: MailServer,
    private readonly anyOf: () => Lettermill,
  ) {}

  /** One message in ten gets an order, a moment later. */
  consider(accepted: Record<string, string>): void {
    for (const [address, id] of Object.entries(accepted)) {
      if (Math.random() < 0.1) this.given.push(this.give(address, id));
    }
  }

  async settled(): Promise<void> {
    await Promise.all(this.given);
  }

  private async give(address: string, message_id: string): Promise<void> {
    await pause(Math.random() * MAX_DELAY_MS);
    const sender = this.server.senderTo(address);
    const what = sender ? 'bounce' : Math.random() < 0.5 ? 'cancel' : 'retry';
    while (!this.stopped) {
      const status = sender ? await this.report(address, sender) : await this.order(message_id, what);
      const order: OrderEntry = { type: 'order', at: Date.now(), what, address, message_id, status };
      if (status > 0 && status < 500) return this.journal.append(order);
      await pause(RETRY_DELAY_MS);
    }
  }

  private order(message_id: string, what: string): Promise<number> {
    return this.statusOf(`/v2/messages/${message_id}/${what}`);
  }

  private report(address: string, returnPath: string): Promise<number> {
    const raw = dsn([`Final-Recipient: rfc822; ${address}`, 'Action: failed', 'Status: 5.2.2']);
    return this.statusOf('/v2/inbound/bounces', raw.replaceAll('bounce+token@mail.example.com', returnPath));
  }

  /** 0 if no answer came. */
  private async statusOf(path: string, mail?: string): Promise<number> {
    const type: Record<string, string> = mail === undefined ? {} : { 'content-type': 'message/rfc822' };
    const answer = await this.anyOf()
      .call('POST', path, mail, type)
      .catch(() => undefined);
    return answer?.status ?? 0;
  }
}
