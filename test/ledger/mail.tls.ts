import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createSecureContext, TLSSocket, type SecureContext } from 'node:tls';
import { selfSigned } from '../../apps/dispatch/src/testing/certificate';

/** What a connection does wrong where TLS begins. The first three show a certificate that nobody must trust. */
const TLS_FAULTS = [
  'expired',
  'misnamed',
  'untrusted',
  'unoffered',
  'refused',
  /** An answer in the clear comes before the handshake: with the answer to STARTTLS, or behind it. */
  'injected',
  'late',
  'garbage',
  'cut',
  'hang',
  /** The connection ends after the handshake. */
  'gone',
] as const;
export type TlsFault = (typeof TLS_FAULTS)[number];

const HANG_MS = 5_000;
const PLAIN_ANSWER = '250-evil.example\r\n250 AUTH PLAIN\r\n';
const GARBAGE = '\u0000\u0001blurb blurb\r\n'.repeat(9);

/** How a server speaks TLS: after STARTTLS, or from the first byte. A part of its connections does it wrong. */
export class HopTls {
  private readonly contexts: Partial<Record<TlsFault, SecureContext>>;
  private readonly sound: SecureContext;

  /** `trustFile` is written: the certificates that the product must trust (NODE_EXTRA_CA_CERTS). */
  constructor(
    readonly kind: 'starttls' | 'implicit',
    readonly trustFile: string,
    private readonly faultyPart = 0.3,
  ) {
    const sound = selfSigned();
    const expired = selfSigned({ subject: 'expired', years: [-3, -1] });
    const misnamed = selfSigned({ subject: 'misnamed', host: 'elsewhere.example' });
    const untrusted = selfSigned({ subject: 'untrusted' });
    writeFileSync(trustFile, sound.cert + expired.cert + misnamed.cert);
    this.sound = createSecureContext(sound);
    this.contexts = {
      expired: createSecureContext(expired),
      misnamed: createSecureContext(misnamed),
      untrusted: createSecureContext(untrusted),
    };
  }

  nextFault(): TlsFault | undefined {
    return Math.random() < this.faultyPart ? TLS_FAULTS[Math.floor(Math.random() * TLS_FAULTS.length)] : undefined;
  }

  isTrustworthy(fault: TlsFault | undefined): boolean {
    return fault === undefined || !(fault in this.contexts);
  }

  /** Begins TLS, in the way of the fault; resolves to undefined if the conversation is over. */
  async begin(raw: Socket, fault: TlsFault | undefined): Promise<TLSSocket | undefined> {
    if (fault === 'hang') await Promise.race([once(raw, 'close'), pause(HANG_MS, undefined, { ref: false })]);
    if (fault === 'garbage' || fault === 'cut') await Promise.race([once(raw, 'readable'), once(raw, 'close')]);
    if (fault === 'garbage') raw.write(GARBAGE);
    if (fault === 'hang' || fault === 'garbage' || fault === 'cut') return undefined;
    if (fault === 'late' || (fault === 'injected' && this.kind === 'implicit')) raw.write(PLAIN_ANSWER);
    const secureContext = (fault && this.contexts[fault]) ?? this.sound;
    const socket = new TLSSocket(raw, { isServer: true, secureContext });
    socket.on('error', () => undefined);
    const isSecure = await Promise.race([
      once(socket, 'secure').then(() => true),
      once(socket, 'close').then(() => false),
    ]);
    return isSecure ? socket : undefined;
  }
}
