import { Inject, Injectable } from '@nestjs/common';
import { Problem, unavailable } from '@lettermill/problems';
import { CLOCK, CONFIG, INTERNAL_HEADER, signInternal, type Clock, type Config, type Owner } from '@lettermill/runtime';
import type { FastifyRequest } from 'fastify';

const PATIENCE_MS = 10_000;
/** Of the owner's answer, what the caller is told as it is. */
const ANSWER_HEADERS = ['content-type', 'retry-after', 'allow'];

/** An owner's answer to whom it takes for anybody but the gateway. */
const STRANGER = 401;
const SEE = 'Both need the same INTERNAL_SECRET, and clocks that agree within half a minute.';

/** What a URL takes for a step up or down the path, or for another `/`: it would be another call than the one checked. */
const STEP = /\\|\/(?:\.|%2e){1,2}(?=[/?#]|$)/i;

/** The request that an owner is called for: its log lines name it, its spans hang below it. */
export interface Cause {
  requestId?: string;
  traceparent?: string;
}

export interface OwnerCall extends Cause {
  accountId: string;
  method: string;
  /** With its query. */
  path: string;
  body?: Buffer;
}

export function causeOf({ id, headers }: FastifyRequest): Cause {
  return { requestId: id, traceparent: headers.traceparent as string | undefined };
}

export interface OwnerAnswer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** Calls the service that owns something, in the name of an account. Throws `unavailable` where it does not answer, or not this gateway. */
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
    // Signed as it is sent: a URL writes some characters in another way than they came.
    const sent = target.pathname + target.search;
    const headers: Record<string, string> = {
      [INTERNAL_HEADER]: signInternal(secret, { accountId, method, path: sent }, this.now()),
    };
    if (requestId) headers['x-request-id'] = requestId;
    if (traceparent) headers.traceparent = traceparent;
    if (body) headers['content-type'] = 'application/json';
    const answer = await this.fetch(owner, target, { method, headers, body });
    // It is us whom it does not know: the caller's key was found good.
    if (answer.status === STRANGER)
      throw unavailable(`The ${owner} service does not accept calls of this gateway. ${SEE}`);
    return answer;
  }

  private async fetch(
    owner: Owner,
    target: URL,
    call: Pick<RequestInit, 'method' | 'headers' | 'body'>,
  ): Promise<OwnerAnswer> {
    try {
      const signal = AbortSignal.timeout(PATIENCE_MS);
      const answer = await fetch(target, { ...call, signal, redirect: 'error' });
      return {
        status: answer.status,
        headers: Object.fromEntries(ANSWER_HEADERS.flatMap((name) => this.header(answer, name))),
        body: Buffer.from(await answer.arrayBuffer()),
      };
    } catch {
      throw unavailable(`The ${owner} service does not answer.`);
    }
  }

  private header(answer: Response, name: string): [string, string][] {
    const value = answer.headers.get(name);
    return value === null ? [] : [[name, value]];
  }
}

function targetOf(owner: string, path: string): URL {
  if (STEP.test(path.split('?', 1)[0]!))
    throw new Problem('not_found', 'A path must not contain a backslash, or «.» or «..» as a segment.');
  return new URL(owner + path);
}
