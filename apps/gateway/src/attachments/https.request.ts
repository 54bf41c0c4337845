import { stallTolerantTimer } from '@lettermill/concurrency';
import type { IncomingMessage } from 'node:http';
import { request, type RequestOptions } from 'node:https';
import { isIP, type LookupFunction, type TcpSocketConnectOpts } from 'node:net';
import { failed, FetchRefused, refused } from './fetch.refused';

const CONNECT_TIMEOUT_MS = 3_000;
/** How long one of several addresses is tried before the next (RFC 8305). */
const ADDRESS_TIMEOUT_MS = 1_000;
const ANSWER_TIMEOUT_MS = 5_000;

/** A request passes them on to its socket, which Node's types do not say. */
type SocketOptions = Pick<TcpSocketConnectOpts, 'autoSelectFamily' | 'autoSelectFamilyAttemptTimeout'>;

interface RequestRules {
  /** Those to connect to, in order. */
  addresses: string[];
  /** Whether the address that was connected to may be reached. */
  isPermitted(address: string): boolean;
  userAgent: string;
  signal: AbortSignal;
}

export interface HttpsAnswer {
  response: IncomingMessage;
  /** Whether the connection has broken since then: a body without a Content-Length looks complete when the connection breaks. */
  broke(): boolean;
}

/** The answer to one GET, once its headers have arrived. Rejects with `FetchRefused`. */
export function httpsAnswer(url: URL, rules: RequestRules): Promise<HttpsAnswer> {
  return new Promise((resolve, reject) => {
    const call = request(url, requestOptions(url, rules), (response) => {
      stopAnswerTimer();
      resolve({ response, broke: () => broken });
    });
    let broken = false;
    const stopAnswerTimer = stallTolerantTimer(CONNECT_TIMEOUT_MS + ANSWER_TIMEOUT_MS, () =>
      call.destroy(failed('The server did not answer in time.')),
    );
    call.on('socket', (socket) => {
      const stopConnectTimer = stallTolerantTimer(CONNECT_TIMEOUT_MS, () =>
        call.destroy(failed('The server cannot be reached.')),
      );
      socket.once('secureConnect', () => {
        stopConnectTimer();
        // A second check: the address connected to must be one that may be reached.
        if (!rules.isPermitted(socket.remoteAddress ?? ''))
          call.destroy(refused('The connection went to another address.'));
      });
      socket.once('close', stopConnectTimer);
    });
    call.on('error', (error) => {
      broken = true;
      reject(
        error instanceof FetchRefused
          ? error
          : failed('The server cannot be reached, or its certificate is not trusted.'),
      );
    });
    // After an answer that cannot be used, such as 101, this is the only event.
    call.on('close', () => {
      stopAnswerTimer();
      reject(failed('The server gave no readable answer.'));
    });
    call.end();
  });
}

function requestOptions(url: URL, { addresses, userAgent, signal }: RequestRules): RequestOptions & SocketOptions {
  const name = withoutBrackets(url.hostname);
  return {
    agent: false,
    lookup: toAddresses(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
    servername: isIP(name) ? '' : name,
    headers: { 'user-agent': userAgent, accept: '*/*', 'accept-encoding': 'identity' },
    signal,
  };
}

/** The host of a URL without the brackets that IPv6 literals have. */
export function withoutBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}

/** A look-up that always returns these addresses. */
function toAddresses(addresses: string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, done) => {
    if (options.all) done(null, answers);
    else done(null, answers[0]!.address, answers[0]!.family);
  };
}
