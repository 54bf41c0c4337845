import type { Clock } from '@lettermill/runtime';
import { putsOff } from '../replies/reply.classify';
import { DotStuffing, type OutgoingContent } from './smtp.content';
import type { WireEnvelope } from './smtp.envelope';
import type { Offer } from './smtp.offer';
import type { SmtpTimeouts } from './smtp.options';
import type { Answer, Stage, Transaction } from './smtp.transaction';
import type { Withdrawal } from './smtp.withdrawal';
import type { SmtpWire, WireListener } from './smtp.wire';

/** What the connection is good for afterwards: `reset` where the server still holds a transaction. */
export type Afterwards = 'ready' | 'reset' | 'close';

const YES = /^2\d\d(?:[ \n-]|$)/;
/** What is none of these is no answer: whatever follows can't be trusted to belong to what we say. */
const ANSWER = /^[2-5]\d\d(?:[ \n-]|$)/;
const GO_ON = /^3\d\d(?:[ \n-]|$)/;
const CLOSING = /^421(?:[ \n-]|$)/;
/** What is to be sent. */
export interface SmtpJob {
  envelope: WireEnvelope;
  content: OutgoingContent;
  /** As long as it was not handed over. */
  withdrawal: Withdrawal;
}

const OUT_OF_TURN = 'the next hop spoke out of turn and the connection was closed';
const TOO_LONG = 'the next hop took too long to answer and the connection was closed';

/**
 * One transaction, from MAIL to the answer to the final dot. Where the server offers PIPELINING (RFC 2920), MAIL, every RCPT and DATA
 * go out in one write; else each waits for the answer to the one before. The content and the final dot of a mail of one chunk
 * are one write too, and behind them, in the same write, goes the envelope of the mail that follows (RFC 2920 section 3.1), if the
 * server is known to bear it and there is one by then: its exchange leads when this one is through.
 */
export class Exchange implements WireListener {
  afterwards: Afterwards = 'ready';
  private stage: Stage = 'envelope';
  /** Answers to the envelope so far: MAIL, each RCPT, DATA. */
  private heard = 0;
  private accepted = 0;
  /** The answer to MAIL, where it was refused: the envelope comes to nothing. */
  private mailRefused: string | undefined;
  private readonly refused: Answer[] = [];
  private readonly answers: Answer[] = [];
  private outgoing: DotStuffing | undefined;
  private openedAt: number | undefined;
  private timer: NodeJS.Timeout | undefined;
  private begunAt: number | undefined;
  private aborted = false;
  private over = false;
  /** Its envelope is on the way. */
  private follower: Exchange | undefined;

  /** `settle` gets nothing where it never came to the transaction. `follow` is asked for what comes behind the content. */
  constructor(
    private readonly wire: SmtpWire,
    private readonly offer: Offer,
    private readonly job: SmtpJob,
    private readonly timing: { timeouts: SmtpTimeouts; now: Clock },
    private readonly settle: (transaction: Transaction | undefined) => void,
    private readonly follow: () => Exchange | undefined,
  ) {}

  begin(): void {
    if (this.wire.dead) return this.broken('the connection broke');
    this.wire.write(this.offer.pipelining ? this.group() : this.mail());
    this.lead();
  }

  /** Ends it without a word; only before the final dot, where nothing can have been delivered. */
  abort(): void {
    this.aborted = true;
    // What goes before it is still to be answered.
    if (this.begunAt !== undefined && this.stage !== 'handed_over') this.end({ aborted: true }, 'close');
  }

  broken(cause: string): void {
    this.end({ broke: cause }, 'close');
  }

  answer(text: string, more: boolean): void {
    if (this.stage !== 'envelope') return this.end({ response: text }, this.afterContent(text));
    if (CLOSING.test(text) || !ANSWER.test(text)) return this.end({ response: text }, 'close');
    this.arm(this.timing.timeouts.command);
    const command = this.heard;
    this.heard += 1;
    if (command === 0) this.mailAnswered(text);
    else if (command <= this.job.envelope.to.length) this.recipientAnswered(this.job.envelope.to[command - 1]!, text);
    else return this.dataAnswered(text, more);
    if (!this.offer.pipelining) this.proceed();
  }

  drained(): void {
    if (this.outgoing && !this.over) this.hand(this.outgoing);
  }

  /** Its envelope was written; from here on the answers are its own. */
  private lead(): void {
    this.begunAt = this.timing.now();
    this.wire.listen(this);
    this.arm(this.timing.timeouts.command);
    if (this.aborted) this.abort();
  }

  /** The connection ended with the one before: nothing was heard of this one. */
  private forgo(): void {
    this.over = true;
    this.settle(undefined);
  }

  private mailAnswered(text: string): void {
    if (!YES.test(text)) this.mailRefused = text;
  }

  private recipientAnswered(recipient: string, response: string): void {
    this.answers.push({ recipient, response });
    if (YES.test(response)) this.accepted += 1;
    // Where the sender was refused, the recipients are refused for want of one.
    else if (this.mailRefused === undefined) this.refused.push({ recipient, response });
  }

  /** Without PIPELINING: what comes after this answer. */
  private proceed(): void {
    const { to } = this.job.envelope;
    if (this.mailRefused !== undefined || this.mainWaits()) return this.end({ response: this.verdict()! }, 'reset');
    if (this.heard <= to.length) return void this.wire.write(recipientLine(to[this.heard - 1]!));
    const verdict = this.verdict();
    if (verdict !== undefined) return this.end({ response: verdict }, 'reset');
    this.wire.write('DATA\r\n');
  }

  /** The answer that ends the envelope before any content; undefined where the content may go. */
  private verdict(): string | undefined {
    if (this.mailRefused !== undefined) return this.mailRefused;
    const waits = this.mainWaits();
    // The copies are not sent ahead of a message that is tried again.
    if (waits !== undefined) return waits;
    if (this.accepted > 0) return undefined;
    const forNow = this.refused.find(({ response }) => response.startsWith('4'));
    return (forNow ?? this.refused.at(-1))?.response;
  }

  private mainWaits(): string | undefined {
    return this.refused.find(({ recipient, response }) => recipient === this.job.envelope.main && putsOff(response))
      ?.response;
  }

  private dataAnswered(text: string, more: boolean): void {
    const verdict = this.verdict();
    const open = GO_ON.test(text);
    // Content is waited for that is not to go: without a word, nothing is delivered.
    if (verdict !== undefined) return this.end({ response: verdict }, open ? 'close' : 'reset');
    if (!open) return this.end({ response: text }, YES.test(text) ? 'close' : 'reset');
    if (more) return this.end({ broke: OUT_OF_TURN }, 'close');
    this.stage = 'content';
    this.openedAt = this.timing.now();
    this.outgoing = new DotStuffing(this.job.content.chunks());
    this.hand(this.outgoing);
  }

  /** Hands over as much as the socket takes. */
  private hand(outgoing: DotStuffing): void {
    let taken: boolean;
    do {
      const bytes = outgoing.next();
      taken = outgoing.finished ? this.wire.write(bytes, this.last(outgoing)) : this.wire.write(bytes);
    } while (taken && !outgoing.finished);
    if (!outgoing.finished) return this.arm(this.timing.timeouts.block);
    this.stage = 'handed_over';
    this.outgoing = undefined;
    this.arm(this.timing.timeouts.dot);
  }

  /** The final dot, and behind it the envelope of the mail that follows. */
  private last(outgoing: DotStuffing): string {
    if (this.offer.rides) this.follower = this.follow();
    return this.follower ? outgoing.end() + this.follower.group() : outgoing.end();
  }

  private afterContent(answer: string): Afterwards {
    const clean = ANSWER.test(answer) && !GO_ON.test(answer) && !CLOSING.test(answer);
    return clean && this.stage === 'handed_over' ? 'ready' : 'close';
  }

  private group(): string {
    return `${this.mail()}${this.job.envelope.to.map(recipientLine).join('')}DATA\r\n`;
  }

  private mail(): string {
    const { offer } = this;
    const { envelope, content } = this.job;
    const utf8 = envelope.needsUtf8 || content.eightBit;
    let line = `MAIL FROM:<${envelope.from}>`;
    if (utf8 && offer.smtpUtf8) line += ' SMTPUTF8';
    if (utf8 && offer.eightBitMime) line += ' BODY=8BITMIME';
    if (offer.size) line += ` SIZE=${content.size}`;
    return `${line}\r\n`;
  }

  private arm(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.broken(TOO_LONG), ms);
  }

  private end(how: Pick<Transaction, 'response' | 'broke' | 'aborted'>, afterwards: Afterwards): void {
    if (this.over) return;
    this.over = true;
    clearTimeout(this.timer);
    this.afterwards = afterwards;
    this.wire.listen(undefined);
    const atMail = this.mailRefused !== undefined && how.response === this.mailRefused;
    const { stage, refused, answers, begunAt, openedAt, follower } = this;
    // Else each that is over would hold the next one in memory, and that the one behind it.
    this.follower = undefined;
    const followed = follower !== undefined && afterwards === 'ready' && !this.wire.dead;
    this.settle({ stage, refused, answers, begunAt, openedAt, followed, ...(atMail && { atMail }), ...how });
    if (followed) follower.lead();
    else follower?.forgo();
  }
}

function recipientLine(recipient: string): string {
  return `RCPT TO:<${recipient}>\r\n`;
}
