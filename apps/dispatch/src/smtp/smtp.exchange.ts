import type { Clock } from '@lettermill/runtime';
import { isTemporaryRefusal } from '../replies/reply.classify';
import { DotStuffing, type OutgoingContent } from './smtp.content';
import type { WireEnvelope } from './smtp.envelope';
import type { Offer } from './smtp.offer';
import type { SmtpTimeouts } from './smtp.options';
import { CLOSING, type Answer, type Stage, type Transaction } from './smtp.transaction';
import type { Withdrawal } from './smtp.withdrawal';
import type { SmtpWire, WireListener } from './smtp.wire';

/** What may be done with the connection afterwards: `reset` if the server still holds a transaction. */
export type Afterwards = 'ready' | 'reset' | 'close';

const ACCEPTED = /^2\d\d(?:[ \n-]|$)/;
/** An answer begins with a reply code. If it does not, nothing after it can be trusted to answer what we send. */
const VALID_ANSWER = /^[2-5]\d\d(?:[ \n-]|$)/;
const GO_AHEAD = /^3\d\d(?:[ \n-]|$)/;

/** A mail to be sent. */
export interface SmtpJob {
  envelope: WireEnvelope;
  content: OutgoingContent;
  /** Takes effect as long as the mail was not handed over. */
  withdrawal: Withdrawal;
}

const ANSWERED_OUT_OF_TURN = 'the next hop spoke out of turn and the connection was closed';
const ANSWER_TIMED_OUT = 'the next hop took too long to answer and the connection was closed';

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
  private answerCount = 0;
  private acceptedCount = 0;
  /** The answer to MAIL, if it was refused: the envelope has failed, whatever follows. */
  private mailRefused: string | undefined;
  private readonly refused: Answer[] = [];
  private readonly answers: Answer[] = [];
  private outgoing: DotStuffing | undefined;
  private openedAt: number | undefined;
  private timer: NodeJS.Timeout | undefined;
  private begunAt: number | undefined;
  private aborted = false;
  private ended = false;
  /** The exchange of the next mail, whose envelope was sent behind this content. */
  private follower: Exchange | undefined;

  /** `settle` is called with undefined if the transaction never took place. `nextExchange` is asked for the mail to send behind the content. */
  constructor(
    private readonly wire: SmtpWire,
    private readonly offer: Offer,
    private readonly job: SmtpJob,
    private readonly timing: { timeouts: SmtpTimeouts; now: Clock },
    private readonly settle: (transaction: Transaction | undefined) => void,
    private readonly nextExchange: () => Exchange | undefined,
  ) {}

  /** `fresh`: the connection was opened just now. */
  begin(fresh = true): void {
    if (this.wire.dead) return this.broken('the connection broke');
    this.wire.write(this.offer.pipelining ? this.envelopeCommands() : this.mailCommand());
    const { used, command } = this.timing.timeouts;
    this.takeOver(fresh ? command : used);
  }

  /** Ends the transaction without a word; only before the final dot, when nothing can have been delivered. */
  abort(): void {
    this.aborted = true;
    // If it has not begun, the mail before it must be answered first.
    if (this.begunAt !== undefined && this.stage !== 'handed_over') this.end({ aborted: true }, 'close');
  }

  broken(cause: string): void {
    this.end(this.mailRefused === undefined ? { broke: cause } : { response: this.mailRefused }, 'close');
  }

  answer(text: string, more: boolean): void {
    if (this.stage !== 'envelope') return this.end({ response: text }, this.afterContent(text));
    if (CLOSING.test(text) || !VALID_ANSWER.test(text))
      return this.end({ response: this.mailRefused ?? text }, 'close');
    this.startTimer(this.timing.timeouts.command);
    const command = this.answerCount;
    this.answerCount += 1;
    if (command === 0) this.mailAnswered(text);
    else if (command <= this.job.envelope.to.length) this.recipientAnswered(this.job.envelope.to[command - 1]!, text);
    else return this.dataAnswered(text, more);
    if (this.offer.pipelining) return;
    if (more) this.broken(ANSWERED_OUT_OF_TURN);
    else this.sendNext();
  }

  drained(): void {
    if (this.outgoing && !this.ended) this.writeContent(this.outgoing);
  }

  /** The envelope was written; from here on, answers belong to this exchange. */
  private takeOver(answerWithin = this.timing.timeouts.command): void {
    this.begunAt = this.timing.now();
    this.wire.listen(this);
    this.startTimer(answerWithin);
    if (this.aborted) this.abort();
  }

  private mailAnswered(text: string): void {
    if (!ACCEPTED.test(text)) this.mailRefused = text;
  }

  private recipientAnswered(recipient: string, response: string): void {
    this.answers.push({ recipient, response });
    if (ACCEPTED.test(response)) this.acceptedCount += 1;
    // If the sender was refused, recipients are refused only because there is no sender.
    else if (this.mailRefused === undefined) this.refused.push({ recipient, response });
  }

  /** Without PIPELINING: sends what follows this answer. */
  private sendNext(): void {
    const { to } = this.job.envelope;
    if (this.mailRefused !== undefined || this.mainDeferral())
      return this.end({ response: this.envelopeRefusal()! }, 'reset');
    if (this.answerCount <= to.length) return void this.wire.write(rcptCommand(to[this.answerCount - 1]!));
    const verdict = this.envelopeRefusal();
    if (verdict !== undefined) return this.end({ response: verdict }, 'reset');
    this.wire.write('DATA\r\n');
  }

  /** The answer that ends the envelope before any content; undefined if the content may be sent. */
  private envelopeRefusal(): string | undefined {
    if (this.mailRefused !== undefined) return this.mailRefused;
    const waits = this.mainDeferral();
    // Copies are not sent before a message that is tried again.
    if (waits !== undefined) return waits;
    if (this.acceptedCount > 0) return undefined;
    const forNow = this.refused.find(({ response }) => response.startsWith('4'));
    return (forNow ?? this.refused.at(-1))?.response;
  }

  private mainDeferral(): string | undefined {
    return this.refused.find(
      ({ recipient, response }) => recipient === this.job.envelope.main && isTemporaryRefusal(response),
    )?.response;
  }

  private dataAnswered(text: string, more: boolean): void {
    const verdict = this.envelopeRefusal();
    const open = GO_AHEAD.test(text);
    // If the server waits for content that is not to be sent, the connection is closed without a word, so that nothing is delivered.
    if (verdict !== undefined) return this.end({ response: verdict }, open ? 'close' : 'reset');
    if (!open) return this.end({ response: text }, ACCEPTED.test(text) ? 'close' : 'reset');
    if (more) return this.end({ broke: ANSWERED_OUT_OF_TURN }, 'close');
    this.stage = 'content';
    this.openedAt = this.timing.now();
    this.outgoing = new DotStuffing(this.job.content.chunks());
    this.writeContent(this.outgoing);
  }

  /**
   * Writes as much as the socket takes. If this process has stood still, its lease may have ended before anybody could withdraw the mail,
   * and somebody else may have sent or cancelled it.
   */
  private writeContent(outgoing: DotStuffing): void {
    let taken: boolean;
    do {
      if (this.job.withdrawal.check()) return this.abort();
      const bytes = outgoing.next();
      taken = outgoing.finished ? this.wire.write(bytes, this.contentEnd(outgoing)) : this.wire.write(bytes);
    } while (taken && !outgoing.finished);
    if (!outgoing.finished) return this.startTimer(this.timing.timeouts.block);
    this.stage = 'handed_over';
    this.outgoing = undefined;
    this.startTimer(this.timing.timeouts.dot);
  }

  /** The final dot, and behind it the envelope of the next mail. */
  private contentEnd(outgoing: DotStuffing): string {
    if (this.offer.rides) this.follower = this.nextExchange();
    return this.follower ? outgoing.terminator() + this.follower.envelopeCommands() : outgoing.terminator();
  }

  private afterContent(answer: string): Afterwards {
    const clean = VALID_ANSWER.test(answer) && !GO_AHEAD.test(answer) && !CLOSING.test(answer);
    return clean && this.stage === 'handed_over' ? 'ready' : 'close';
  }

  private envelopeCommands(): string {
    return `${this.mailCommand()}${this.job.envelope.to.map(rcptCommand).join('')}DATA\r\n`;
  }

  private mailCommand(): string {
    const { offer } = this;
    const { envelope, content } = this.job;
    const utf8 = envelope.needsUtf8 || content.eightBit;
    let line = `MAIL FROM:<${envelope.from}>`;
    if (utf8 && offer.smtpUtf8) line += ' SMTPUTF8';
    if (utf8 && offer.eightBitMime) line += ' BODY=8BITMIME';
    if (offer.size) line += ` SIZE=${content.size}`;
    return `${line}\r\n`;
  }

  private startTimer(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.broken(ANSWER_TIMED_OUT), ms);
  }

  private end(how: Pick<Transaction, 'response' | 'broke' | 'aborted'>, afterwards: Afterwards): void {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.timer);
    this.afterwards = afterwards;
    this.wire.listen(undefined);
    const atMail = this.mailRefused !== undefined && how.response === this.mailRefused;
    const { stage, refused, answers, begunAt, openedAt, follower } = this;
    // Otherwise each ended exchange would keep the next one in memory, and that one the next.
    this.follower = undefined;
    const followed = follower !== undefined && afterwards === 'ready' && !this.wire.dead;
    this.settle({ stage, refused, answers, begunAt, openedAt, followed, ...(atMail && { atMail }), ...how });
    if (followed) follower.takeOver();
    // The connection ended with this mail: the hop heard nothing of the next one.
    else follower?.settle(undefined);
  }
}

function rcptCommand(recipient: string): string {
  return `RCPT TO:<${recipient}>\r\n`;
}
