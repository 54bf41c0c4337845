import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { connect as connectTls } from 'node:tls';
import type { NextHop } from '@lettermill/config';
import type { Peer } from '../lifecycle/delivery';
import { logIn } from './smtp.auth';
import { brokenFault, HopFault, tlsFault, unavailableFault } from './smtp.fault';
import { readOffer, type Offer } from './smtp.offer';
import { ownName } from './smtp.own.name';
import { peerOf } from './smtp.peer';
import type { SmtpPoolOptions } from './smtp.options';
import { SmtpWire, WireBroken } from './smtp.wire';

/** A connection that was greeted, is as secure as the hop's policy demands, and is logged in. */
export interface Session {
  wire: SmtpWire;
  offer: Offer;
  peer: Peer | undefined;
}

/**
 * Opens a connection. Rejects with `HopFault`. If opportunistic TLS cannot be negotiated, the connection is opened without, as if it were
 * not offered. A password is sent only once the policy is met.
 */
export async function openSession(hop: NextHop, options: SmtpPoolOptions, signal?: AbortSignal): Promise<Session> {
  try {
    return await new Opening(hop, options, hop.tls === 'off').run(signal);
  } catch (fault) {
    const optional = hop.tls === 'opportunistic' && !hop.implicitTls;
    if (!optional || !(fault instanceof HopFault) || fault.reason !== 'tls_failed') throw fault;
    return new Opening(hop, options, true).run(signal);
  }
}

const GREETING_TIMED_OUT = 'the greeting took too long';
const IF_TLS_FIRST = 'if it expects TLS from the first byte, SMTP_URL must begin with smtps://';
const NEVER_GREETED = `${GREETING_TIMED_OUT}; ${IF_TLS_FIRST}`;

class Opening {
  private wire: SmtpWire | undefined;
  private peer: Peer | undefined;
  private heloName: string | undefined;
  private greeted = false;
  private upgrading = false;
  private earlyAnswer: string | undefined;
  /** The reason, if we end the connection ourselves. */
  private endReason: string | undefined;

  constructor(
    private readonly hop: NextHop,
    private readonly options: SmtpPoolOptions,
    private readonly withoutTls: boolean,
  ) {}

  async run(signal?: AbortSignal): Promise<Session> {
    const { connect, greeting } = this.options.timeouts;
    const end = (why: string) => {
      this.endReason ??= why;
      this.wire?.breakOff(why);
    };
    const abort = () => end('aborted');
    const connecting = setTimeout(() => end('connecting took too long'), connect);
    const all = setTimeout(() => end(this.greeted ? GREETING_TIMED_OUT : NEVER_GREETED), connect + greeting);
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
    try {
      await this.awaitConnection(this.openSocket(), this.hop.implicitTls ? 'secureConnect' : 'connect');
      clearTimeout(connecting);
      const offer = await this.greet();
      return { wire: this.wire!, offer, peer: this.peer };
    } catch (error) {
      this.wire?.breakOff('closed');
      const fault = error instanceof WireBroken ? brokenFault(this.causeOf(error), this.upgrading) : error;
      if (fault instanceof HopFault) fault.peer = this.peer;
      throw fault;
    } finally {
      clearTimeout(connecting);
      clearTimeout(all);
      signal?.removeEventListener('abort', abort);
    }
  }

  /** A server that waits for TLS ends the connection once it is tired of waiting. */
  private causeOf({ cause }: WireBroken): string {
    if (this.endReason !== undefined) return this.endReason;
    const isUngreeted = this.peer !== undefined && !this.greeted && !this.hop.implicitTls;
    return isUngreeted ? `${cause} before its greeting; ${IF_TLS_FIRST}` : cause;
  }

  private openSocket(): Socket {
    const { host, port, implicitTls } = this.hop;
    const { lookup, timeouts } = this.options;
    const tcp = { host, port, lookup, autoSelectFamily: true, autoSelectFamilyAttemptTimeout: timeouts.address };
    return implicitTls ? connectTls({ ...this.tlsOptions(), ...tcp }) : connectPlain(tcp);
  }

  private tlsOptions(): object {
    const { host, tls } = this.hop;
    const servername = isIP(host) ? {} : { servername: host };
    return { host, ...servername, ...this.options.tls, rejectUnauthorized: tls === 'require' };
  }

  private async awaitConnection(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
    const wire = new SmtpWire(socket);
    this.wire = wire;
    socket.setNoDelay(true);
    if (this.endReason) wire.breakOff(this.endReason);
    await new Promise<void>((resolve, reject) => {
      if (wire.dead) return reject(new WireBroken(this.endReason ?? ''));
      wire.listen({
        broken: (cause) => reject(new WireBroken(cause)),
        // The server may speak before we listen; one answer is kept, more are a fault.
        answer: (text, more) =>
          more || this.earlyAnswer !== undefined ? this.answeredOutOfTurn() : (this.earlyAnswer = text),
      });
      socket.once(event, resolve);
    });
    this.peer = peerOf(socket) ?? this.peer;
    this.heloName ??= this.options.name ?? ownName(hostname(), socket.localAddress);
  }

  private answeredOutOfTurn(): void {
    this.wire!.breakOff('an answer out of turn');
  }

  private async greet(): Promise<Offer> {
    const greeting = this.earlyAnswer ?? (await this.ask());
    this.earlyAnswer = undefined;
    this.greeted = true;
    if (!greeting.startsWith('220')) throw unavailableFault('it refused the connection', greeting);
    let offer = await this.sayHello(greeting);
    if (!this.hop.implicitTls && !this.withoutTls && (await this.upgradeToTls(offer)))
      offer = await this.sayHello(greeting);
    if (this.hop.auth) await logIn(this.wire!, this.hop.auth, offer.auth);
    return offer;
  }

  private ask(command?: string): Promise<string> {
    return this.wire!.ask(command);
  }

  private async sayHello(greeting: string): Promise<Offer> {
    const answer = await this.ask(`EHLO ${this.heloName}`);
    if (answer.startsWith('2')) return readOffer(answer, greeting);
    // A 4xx answer does not mean that EHLO is unknown, and HELO is only for servers that do not know it (RFC 5321 section 3.2).
    if (answer.startsWith('4'))
      throw unavailableFault(`it accepts no greeting for now; we are ${this.heloName}`, answer);
    const older = await this.ask(`HELO ${this.heloName}`);
    if (!older.startsWith('2')) throw unavailableFault(`it refused our greeting; we are ${this.heloName}`, older);
    return readOffer('', greeting);
  }

  /** STARTTLS (RFC 3207). Resolves to false if it is optional and unavailable. */
  private async upgradeToTls({ startTls }: Offer): Promise<boolean> {
    const required = this.hop.tls === 'require';
    if (!startTls) {
      if (required) throw tlsFault('it offers no STARTTLS');
      return false;
    }
    const answer = await this.ask('STARTTLS');
    if (!answer.startsWith('2')) {
      if (required) throw tlsFault('it refused STARTTLS', answer);
      return false;
    }
    this.upgrading = true;
    // Nothing received before the handshake can be trusted; an answer out of turn has ended the connection by now.
    if (this.wire!.dead) throw new WireBroken('an answer out of turn');
    const socket = connectTls({ ...this.tlsOptions(), socket: this.wire!.release() });
    await this.awaitConnection(socket, 'secureConnect');
    this.upgrading = false;
    return true;
  }
}
