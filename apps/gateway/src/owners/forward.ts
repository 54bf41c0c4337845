import { Injectable } from '@nestjs/common';
import type { Owner } from '@lettermill/config';
import { noteRefusal, noteUnavailable, type AccountRequest, type BodyRequest } from '@lettermill/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { causeOf, OwnerClient, type OwnerAnswer, type OwnerCall } from './owner.client';

const PROBLEM_TYPE = 'application/problem+json';

/** Sets `instance` of a refusal to this call: the owner may have been asked for something else on its behalf. */
function withInstanceOfCall(body: Buffer, url: string): Buffer {
  const problem = JSON.parse(body.toString()) as { instance: string };
  const instance = url.split('?')[0]!;
  return problem.instance === instance ? body : Buffer.from(JSON.stringify({ ...problem, instance }));
}

/** Puts the reason into the access log of this request, too; the owner's own log, which it names, can say more. */
function noteProblem({ owner, status, body }: OwnerAnswer, request: FastifyRequest): void {
  const { type, detail } = JSON.parse(body.toString()) as { type: string; detail: string };
  const code = type.split('#').at(-1)!;
  noteRefusal(request, code);
  if (status === 503) noteUnavailable(request, `${owner}: ${code}: ${detail}`);
}

type Asked = Pick<OwnerCall, 'method' | 'path' | 'body'>;

/** A HEAD must report the length that a GET would have (RFC 9110, 8.6); the server leaves the body out. */
const askedBy = ({ method, url, rawBody }: BodyRequest): Asked => ({
  method: method === 'HEAD' ? 'GET' : method,
  path: url,
  body: rawBody,
});

/** Forwards a management call to the service that owns the data, and its answer back. */
@Injectable()
export class Forward {
  constructor(private readonly owners: OwnerClient) {}

  /** Asks what the request asks, or something else on its behalf. */
  ask(owner: Owner, request: AccountRequest, asked: Asked = askedBy(request)): Promise<OwnerAnswer> {
    return this.owners.call(owner, { accountId: request.accountId!, ...asked, ...causeOf(request) });
  }

  answer(answer: OwnerAnswer, reply: FastifyReply): void {
    const { status, headers, body } = answer;
    const isProblem = headers['content-type']?.startsWith(PROBLEM_TYPE);
    if (isProblem) noteProblem(answer, reply.request);
    const sentBody = isProblem ? withInstanceOfCall(body, reply.request.url) : body;
    void reply.code(status).headers(headers).send(sentBody);
  }

  async to(owner: Owner, request: AccountRequest & BodyRequest, reply: FastifyReply): Promise<void> {
    this.answer(await this.ask(owner, request), reply);
  }
}
