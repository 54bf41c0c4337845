import { LRUCache } from 'lru-cache';

/** RFC 2606: nobody's address ends so, and no other next hop delivers there. */
export const TEST_DOMAIN = 'mailbox.invalid';

/** An SMTP reply to a recipient. */
interface Refusal {
  code: number;
  text: string;
}

/** What is still to happen to a mail that was accepted. */
export interface Aftermath {
  /** The connection breaks, so that the sender cannot know. */
  hidden: boolean;
  /** Recipients for whom a server behind this one returns it. */
  returned: string[];
  /** Recipients who complain about it. */
  complained: string[];
}

/** Enhanced status codes are added by the server: 5.1.1, 4.3.0 and 4.2.2. */
const REFUSALS: Record<string, Refusal | undefined> = {
  bounced: { code: 550, text: 'Nobody has this mailbox.' },
  deferred: { code: 451, text: 'Try again later.' },
  full: { code: 452, text: 'The mailbox is full.' },
};
/** These accept the mail, and fail afterwards. */
const ACCEPTING = ['uncertain', 'returned', 'complained'];
/** `deferred` always, `deferred-2` two times before a mail arrives; either with a label after a plus sign. */
const LOCAL_PART = /^(bounced|deferred|full|slow|uncertain|returned|complained)(?:-([1-9]\d?))?(?:\+.*)?$/;
const MAX_COUNTED_ADDRESSES = 10_000;

/** Addresses at which the mailbox fails on purpose, so that users can try what becomes of such mail. */
export class TestAddresses {
  private readonly failures = new LRUCache<string, number>({ max: MAX_COUNTED_ADDRESSES });

  /** What a recipient is answered, if it is not simply accepted. */
  answerTo(address: string): Refusal | 'slow' | undefined {
    const name = this.faultOf(address);
    if (name === undefined || ACCEPTING.includes(name)) return undefined;
    this.noteFailure(address);
    return name === 'slow' ? 'slow' : REFUSALS[name];
  }

  /** What happens after a mail to these recipients was kept. */
  afterAcceptance(recipients: string[]): Aftermath {
    const [uncertain, returned, complained] = ACCEPTING.map((name) =>
      recipients.filter((address) => this.faultOf(address) === name),
    ) as [string[], string[], string[]];
    const failing = new Set([...uncertain, ...returned, ...complained]);
    for (const address of recipients) {
      if (failing.has(address)) this.noteFailure(address);
      // The next mail to them begins anew.
      else if (uncertain.length === 0) this.failures.delete(address.toLowerCase());
    }
    return { hidden: uncertain.length > 0, returned, complained };
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
