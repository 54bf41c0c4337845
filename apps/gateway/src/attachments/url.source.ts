import { urlIn } from '@lettermill/web';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { AddressPolicy } from './address.policy';
import { deadline } from './fetch.deadline';
import { failed, FetchRefused, refused } from './fetch.refused';
import { httpsAnswer, withoutBrackets, type HttpsAnswer } from './https.request';
import { statedMediaType } from './media.type';

const FETCH_TIMEOUT_MS = 15_000;
const MAX_REDIRECTS = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

const NOT_WHOLE = 'The file did not arrive completely, or not in time.';

/** All addresses of a host, or none if it does not exist. Rejects if that cannot be determined, or when `signal` aborts first. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<string[]>;

export interface FetchedFile {
  /** Media type as the server states it, with its parameters if they are valid. */
  contentType: string | undefined;
  body: AsyncIterable<Buffer>;
}

/**
 * Reads files from https addresses named by strangers, safe against server-side request forgery (OWASP API7): every address of the host is
 * checked, and only a checked address is connected to. The same holds for each redirect. No cookies, credentials, proxy or decompression.
 */
export class UrlSource {
  private readonly policy: AddressPolicy;

  constructor(
    allow: string[],
    private readonly userAgent: string,
    private readonly resolve: Resolve,
  ) {
    const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
    this.policy = new AddressPolicy(
      allow,
      own.map(({ address }) => address.split('%')[0]!),
    );
  }

  /** Why an address may never be fetched, judged by the address alone: its host is not looked up. */
  refusal(address: string): FetchRefused | undefined {
    try {
      const literal = withoutBrackets(this.parseUrl(address).hostname);
      if (isIP(literal)) this.requirePermitted([literal]);
      return undefined;
    } catch (error) {
      if (error instanceof FetchRefused) return error;
      throw error;
    }
  }

  /** Throws `FetchRefused`. So does the body when it exceeds `maxBytes`, or when `ending` aborts. */
  async open(address: string, maxBytes: number, ending: AbortSignal): Promise<FetchedFile> {
    const signal = deadline(ending, FETCH_TIMEOUT_MS);
    let url = this.parseUrl(address);
    for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
      const { response, broke } = await this.answer(url, signal);
      const { statusCode = 0, headers } = response;
      if (!REDIRECTS.has(statusCode)) return acceptAnswer(response, maxBytes, broke);
      response.destroy();
      const next = headers.location ? urlIn(headers.location, url.href) : undefined;
      if (!next) throw failed('The address redirects without naming a valid target.');
      url = this.parseUrl(next.href);
    }
    throw failed(`The address redirects more than ${MAX_REDIRECTS} times.`);
  }

  private async answer(url: URL, signal: AbortSignal): Promise<HttpsAnswer> {
    const addresses = await this.permittedAddresses(url.hostname, signal);
    const isPermitted = (address: string) => this.policy.permits(address);
    return httpsAnswer(url, { addresses, isPermitted, userAgent: this.userAgent, signal });
  }

  private parseUrl(address: string): URL {
    const url = urlIn(address);
    if (!url || url.protocol !== 'https:') throw refused('Only https addresses are fetched.');
    if (url.username || url.password) throw refused('Addresses with credentials are not fetched.');
    return url;
  }

  /** The addresses to connect to, in order. Throws `FetchRefused` if any of them is forbidden. */
  private async permittedAddresses(host: string, signal: AbortSignal): Promise<string[]> {
    const literal = withoutBrackets(host);
    const addresses = isIP(literal) ? [literal] : await this.addressesOf(host, signal);
    if (addresses.length === 0) throw failed('The host of the address does not exist.');
    this.requirePermitted(addresses);
    return addresses;
  }

  private async addressesOf(host: string, signal: AbortSignal): Promise<string[]> {
    try {
      return await this.resolve(host, signal);
    } catch {
      throw failed('The host of the address could not be looked up.');
    }
  }

  private requirePermitted(addresses: string[]): void {
    if (addresses.every((address) => this.policy.permits(address))) return;
    throw refused('The address does not lead to the public internet.');
  }
}

function acceptAnswer(response: IncomingMessage, maxBytes: number, broke: () => boolean): FetchedFile {
  const { statusCode, headers } = response;
  const refuse = (error: FetchRefused): never => {
    response.destroy();
    throw error;
  };
  if (statusCode !== 200) refuse(failed(`The server answered ${statusCode}.`));
  const encoding = headers['content-encoding'];
  if (encoding && encoding !== 'identity') refuse(failed('The server answered with a Content-Encoding.'));
  if (Number(headers['content-length']) > maxBytes) refuse(tooLarge(maxBytes));
  return { contentType: statedMediaType(headers['content-type']), body: bounded(response, maxBytes, broke) };
}

const tooLarge = (maxBytes: number) =>
  new FetchRefused('attachments_too_large', `The file has more than the ${maxBytes} bytes that a message can have.`);

/** The body; throws `FetchRefused` if it is too large, too slow or cut off. */
async function* bounded(response: IncomingMessage, maxBytes: number, broke: () => boolean): AsyncGenerator<Buffer> {
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      yield chunk;
    }
  } catch (error) {
    throw error instanceof FetchRefused ? error : failed(NOT_WHOLE);
  }
  if (broke()) throw failed(NOT_WHOLE);
}
