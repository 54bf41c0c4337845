import { LRUCache } from 'lru-cache';

/** RFC 2606: nobody's address ends so, and no other next hop delivers there. */
const TEST_DOMAIN = 'mailbox.invalid';

/** An SMTP reply to a recipient. */
interface Refusal {
  code: number;
  text: string;
}

/** Enhanced status codes are added by the server: 5.1.1, 4.3.0 and 4.2.2. */
const REFUSALS: Record<string, Refusal | undefined> = {
  bounced: { code: 550, text: 'Nobody has this mailbox.' },
  deferred: { code: 451, text: 'Try again later.' },
  full: { code: 452, text: 'The mailbox is full.' },
};
/** `deferred` always, `deferred-2` two times before a mail is accepted; either with a label after a plus sign. */
const LOCAL_PART = /^(bounced|deferred|full|slow|uncertain)(?:-([1-9]\d?))?(?:\+.*)?$/;
const MAX_COUNTED_ADDRESSES = 10_000;

/** Addresses at which the mailbox fails on purpose, so that users can try what becomes of such mail. */
export class TestAddresses {
  private readonly failures = new LRUCache<string, number>({ max: MAX_COUNTED_ADDRESSES });

  /** What a recipient is answered, if it is not simply accepted. */
  answerTo(address: string): Refusal | 'slow' | undefined {
    const name = this.faultOf(address);
    if (name === undefined || name === 'uncertain') return undefined;
    this.noteFailure(address);
    return name === 'slow' ? 'slow' : REFUSALS[name];
  }

  /** Whether the connection is to break although a mail to these recipients was kept, so that its sender cannot know. */
  hidesAcceptance(recipients: string[]): boolean {
    const uncertain = recipients.filter((address) => this.faultOf(address) === 'uncertain');
    for (const address of uncertain) this.noteFailure(address);
    // The next mail to them begins anew.
    if (uncertain.length === 0) for (const address of recipients) this.failures.delete(address.toLowerCase());
    return uncertain.length > 0;
  }

  /** Undefined for an address that never fails, or has failed as often as it says. */
  private faultOf(address: string): string | undefined {
    const at = address.lastIndexOf('@');
    if (address.slice(at + 1).toLowerCase() !== TEST_DOMAIN) return undefined;
    const [, name, times = Infinity] = LOCAL_PART.exec(address.slice(0, at).toLowerCase()) ?? [];
    return this.failuresOf(address) < Number(times) ? name : undefined;
  }

  private noteFailure(address: string): void {
    this.failures.set(address.toLowerCase(), this.failuresOf(address) + 1);
  }

  private failuresOf(address: string): number {
    return this.failures.get(address.toLowerCase()) ?? 0;
  }
}
