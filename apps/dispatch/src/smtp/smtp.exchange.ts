import type { Clock } from '@lettermill/runtime';
import { putsOff } from '../replies/reply.classify';
import { DotStuffing, type OutgoingContent } from './smtp.content';
import type { WireEnvelope } from './smtp.envelope';
import type { Offer } from './smtp.offer';
import type { SmtpTimeouts } from './smtp.options';
import type { Answer, Stage, Transaction } from './smtp.transaction';
import type { Withdrawal } from './smtp.withdrawal';
import type { SmtpWire, WireListener } from './smtp.wire';

/** What may be done with the connection afterwards: `reset` if the server still holds a transaction. */
export type Afterwards = 'ready' | 'reset' | 'close';

const YES = /^2\d\d(?:[ \n-]|$)/;
/** An answer begins with a reply code. If it does not, nothing after it can be trusted to answer what we send. */
const ANSWER = /^[2-5]\d\d(?:[ \n-]|$)/;
const GO_ON = /^3\d\d(?:[ \n-]|$)/;
const CLOSING = /^421(?:[ \n-]|$)/;
/** A mail to be sent. */
export interface SmtpJob {
  envelope: WireEnvelope;
  content: OutgoingContent;
  /** Takes effect as long as the mail was not handed over. */
  withdrawal: Withdrawal;
}

const OUT_OF_TURN = 'the next hop spoke out of turn and the connection was closed';
const TOO_LONG = 'the next hop took too long to answer and the connection was closed';

/**
 * One transaction, from MAIL to the answer to the final dot. If the server offers PIPELINING (RFC 2920), MAIL, every RCPT and DATA are sent
 * in one write; else each waits for the answer to the previous one. The content of a mail of one chunk is also one write with the final
 * dot, and in the same write follows the envelope of the next mail (RFC 2920 section 3.1), if the server is known to handle this and a mail
 * is waiting: its exchange takes over when this one has ended.
 */
export class Exchange implements WireListener {
  afterwards: Afterwards = 'ready';
  private stage: Stage = 'envelope';
  /** Number of answers to the envelope so far: MAIL, each RCPT, DATA. */
  private heard = 0;
  private accepted = 0;
  /** The answer to MAIL, if it was refused: the envelope has failed. */
  private mailRefused: string | undefined;
  private readonly refused: Answer[] = [];
  private readonly answers: Answer[] = [];
  private outgoing: DotStuffing | undefined;
  private openedAt: number | undefined;
  private timer: NodeJS.Timeout | undefined;
  private begunAt: number | undefined;
  private aborted = false;
  private over = false;
  /** The exchange of the next mail, whose envelope was sent behind this content. */
  private follower: Exchange | undefined;

  /** `settle` is called with undefined if the transaction never took place. `follow` is asked for the mail to send behind the content. */
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

  /** Ends the transaction without a word; only before the final dot, when nothing can have been delivered. */
  abort(): void {
    this.aborted = true;
    // If it has not begun, the mail before it must be answered first.
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

  /** The envelope was written; from here on, answers belong to this exchange. */
  private lead(): void {
    this.begunAt = this.timing.now();
    this.wire.listen(this);
    this.arm(this.timing.timeouts.command);
    if (this.aborted) this.abort();
  }

  /** The connection ended with the previous mail: the hop heard nothing of this one. */
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
    // If the sender was refused, recipients are refused only because there is no sender.
    else if (this.mailRefused === undefined) this.refused.push({ recipient, response });
  }

  /** Without PIPELINING: sends what follows this answer. */
  private proceed(): void {
    const { to } = this.job.envelope;
    if (this.mailRefused !== undefined || this.mainWaits()) return this.end({ response: this.verdict()! }, 'reset');
    if (this.heard <= to.length) return void this.wire.write(recipientLine(to[this.heard - 1]!));
    const verdict = this.verdict();
    if (verdict !== undefined) return this.end({ response: verdict }, 'reset');
    this.wire.write('DATA\r\n');
  }

  /** The answer that ends the envelope before any content; undefined if the content may be sent. */
  private verdict(): string | undefined {
    if (this.mailRefused !== undefined) return this.mailRefused;
    const waits = this.mainWaits();
    // Copies are not sent before a message that is tried again.
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
    // If the server waits for content that is not to be sent, the connection is closed without a word, so that nothing is delivered.
    if (verdict !== undefined) return this.end({ response: verdict }, open ? 'close' : 'reset');
    if (!open) return this.end({ response: text }, YES.test(text) ? 'close' : 'reset');
    if (more) return this.end({ broke: OUT_OF_TURN }, 'close');
    this.stage = 'content';
    this.openedAt = this.timing.now();
    this.outgoing = new DotStuffing(this.job.content.chunks());
    this.hand(this.outgoing);
  }

  /** Writes as much as the socket takes. */
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

  /** The final dot, and behind it the envelope of the next mail. */
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
    // Otherwise each ended exchange would keep the next one in memory, and that one the next.
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
