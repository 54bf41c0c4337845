import { Inject, Injectable } from '@nestjs/common';
import { Problem, unavailable } from '@lettermill/problems';
import type { Config, Owner } from '@lettermill/config';
import { CLOCK, CONFIG, INTERNAL_HEADER, signInternal, type Clock } from '@lettermill/runtime';
import { fetchFailure, wholeBody } from '@lettermill/web';
import type { FastifyRequest } from 'fastify';

const OWNER_TIMEOUT_MS = 10_000;
/** Headers of the owner's answer that the caller receives unchanged. */
const ANSWER_HEADERS = ['content-type', 'retry-after', 'allow'];

/** The status by which an owner says that it does not recognise the gateway. */
const GATEWAY_REFUSED_STATUS = 401;
const SECRET_HINT = 'Both need the same INTERNAL_SECRET, and clocks that agree within half a minute.';

/**
 * What a URL parser takes for a step within the path (`.`, `..`), or for another `/`: it would call another path than the one that was
 * checked.
 */
const PATH_TRAVERSAL = /\\|\/(?:\.|%2e){1,2}(?=[/?#]|$)/i;

/** The request on whose behalf an owner is called: the owner logs its id, and puts its spans below the request's. */
export interface Cause {
  requestId?: string;
  traceparent?: string;
}

export interface OwnerCall extends Cause {
  accountId: string;
  method: string;
  /** Including the query. */
  path: string;
  body?: Buffer;
}

export function causeOf({ id, headers }: FastifyRequest): Cause {
  return { requestId: id, traceparent: headers.traceparent as string | undefined };
}

export interface OwnerAnswer {
  owner: Owner;
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** Calls the owner of some data on behalf of an account. Throws `unavailable` if the owner does not answer, or refuses this gateway. */
@Injectable()
export class OwnerClient {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CLOCK) private readonly now: Clock,
  ) {}

  async call(owner: Owner, { accountId, method, path, body, requestId, traceparent }: OwnerCall): Promise<OwnerAnswer> {
    const secret = this.config.internalSecret;
    if (!secret) throw unavailable('INTERNAL_SECRET is not set.');
    const target = targetOf(this.config.owners[owner], path);
    // The path is signed as it is sent: the URL parser may have encoded some characters differently.
    const signedPath = target.pathname + target.search;
    const headers: Record<string, string> = {
      [INTERNAL_HEADER]: signInternal(secret, { accountId, method, path: signedPath }, this.now()),
    };
    if (requestId) headers['x-request-id'] = requestId;
    if (traceparent) headers.traceparent = traceparent;
    if (body) headers['content-type'] = 'application/json';
    const answer = await this.fetch(owner, target, { method, headers, body });
    // The owner refuses the gateway, not the caller, whose key was accepted.
    if (answer.status === GATEWAY_REFUSED_STATUS)
      throw unavailable(`The ${owner} service does not accept calls of this gateway. ${SECRET_HINT}`);
    return answer;
  }

  private async fetch(
    owner: Owner,
    target: URL,
    call: Pick<RequestInit, 'method' | 'headers' | 'body'>,
  ): Promise<OwnerAnswer> {
    const signal = AbortSignal.timeout(OWNER_TIMEOUT_MS);
    try {
      const answer = await fetch(target, { ...call, signal, redirect: 'error' });
      return {
        owner,
        status: answer.status,
        headers: Object.fromEntries(ANSWER_HEADERS.flatMap((name) => this.header(answer, name))),
        body: await wholeBody(answer, signal),
      };
    } catch (error) {
      throw unavailable(`The ${owner} service does not answer.`, fetchFailure(error));
    }
  }

  private header(answer: Response, name: string): [string, string][] {
    const value = answer.headers.get(name);
    return value === null ? [] : [[name, value]];
  }
}

function targetOf(owner: string, path: string): URL {
  if (PATH_TRAVERSAL.test(path.split('?', 1)[0]!))
    throw new Problem('not_found', 'A path must not contain a backslash, or «.» or «..» as a segment.');
  return new URL(owner + path);
}
