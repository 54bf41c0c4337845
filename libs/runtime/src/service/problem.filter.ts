import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { Problem, unavailable, type AnswerCode } from '@lettermill/problems';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../logging/logger';
import { endAfterRefusal } from './pipelined';

interface Coded {
  code?: string;
  statusCode?: number;
  retryable?: boolean;
  message: string;
}

const BY_FASTIFY_CODE: Record<string, AnswerCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'content_type_unsupported',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'body_missing',
};

/** Where the server's own words name no fault: two types joined by a comma, as by a client that sets the header twice, are none. */
const DETAILS: Partial<Record<AnswerCode, string>> = {
  content_type_unsupported: 'There is no Content-Type, or it is not one media type such as application/json.',
};

const BY_STATUS: Record<number, AnswerCode> = {
  401: 'unauthorized',
  404: 'not_found',
  405: 'method_not_allowed',
  413: 'body_too_large',
  415: 'content_type_unsupported',
  503: 'unavailable',
};

const problemOf = (code: AnswerCode, detail: string) => new Problem(code, DETAILS[code] ?? detail);

function byStatus(status: number, detail: string): Problem {
  if (status >= 500 && status !== 503) return new Problem('internal_error', 'The request could not be completed.');
  // A path that leads out of what is served: it is not said what lies there.
  if (status === 403) return new Problem('not_found', 'There is nothing at this path.');
  return problemOf(BY_STATUS[status] ?? 'request_malformed', detail);
}

/** Whatever was thrown, as a problem. What is not ours to explain says nothing of the inside. */
export function problemFrom(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown;
  if (thrown instanceof HttpException) return byStatus(thrown.getStatus(), thrown.message);
  const error = thrown as Coded;
  const known = error?.code ? BY_FASTIFY_CODE[error.code] : undefined;
  if (known) return problemOf(known, error.message);
  if (error?.retryable) return unavailable('A part that this call needs is unavailable.');
  if (error?.statusCode && error.statusCode < 500) return byStatus(error.statusCode, error.message);
  return new Problem('internal_error', 'The request could not be completed.');
}

const causes = new WeakMap<FastifyRequest, string>();

/** Keeps it where the answer is somebody else's, and passes by the filter. */
export function noteUnavailable(request: FastifyRequest, cause: string): void {
  causes.set(request, cause);
}

/** What a request was answered 503 for, code and words, for the operator: the answer tells less. */
export function unavailableFor(request: FastifyRequest): string | undefined {
  return causes.get(request);
}

/** Answers as application/problem+json. */
export function sendProblem(problem: Problem, request: FastifyRequest, reply: FastifyReply): void {
  endAfterRefusal(request, reply);
  const path = request.url.split('?')[0] ?? '/';
  void reply
    .code(problem.status)
    .headers(problem.headers)
    .header('content-type', 'application/problem+json; charset=utf-8')
    .send(JSON.stringify(problem.body(path, String(request.id))));
}

@Catch()
export class ProblemFilter implements ExceptionFilter {
  /** Where there is none it answers and says nothing. */
  constructor(private readonly logger?: Logger) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const problem = problemFrom(thrown);
    const request = http.getRequest<FastifyRequest>();
    if (problem.code === 'internal_error') this.tell(thrown, String(request.id));
    const { code, message } = thrown as Coded;
    if (problem.status === 503) noteUnavailable(request, `${code}: ${message}`);
    sendProblem(problem, request, http.getResponse<FastifyReply>());
  }

  /** The answer and the line of the request have the same id. */
  private tell(thrown: unknown, request_id: string): void {
    const err = thrown instanceof Error ? thrown : new Error(String(thrown));
    this.logger?.error({ request_id, err }, err.message);
  }
}
