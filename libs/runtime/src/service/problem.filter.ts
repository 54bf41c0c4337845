import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { Problem, unavailable, type AnswerCode } from '@lettermill/problems';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../logging/logger';
import { endAfterRefusal } from './pipelined';

interface CodedError {
  code?: string;
  statusCode?: number;
  retryable?: boolean;
  message: string;
}

/** Of what Nest and Fastify refuse; Nest hands on nothing but status and text of an error of Fastify's. */
const CODE_BY_STATUS: Record<number, AnswerCode> = {
  404: 'not_found',
  413: 'body_too_large',
  415: 'content_type_unsupported',
};

/** Replaces details of the server that name no fault. Two types joined by a comma (a header that was set twice) are no media type. */
const DETAIL_OVERRIDES: Partial<Record<AnswerCode, string>> = {
  content_type_unsupported: 'There is no Content-Type, or it is not one media type such as application/json.',
};

function problemByStatus(status: number, detail: string): Problem {
  if (status >= 500) return new Problem('internal_error', 'The request could not be completed.');
  // A path that leads out of the served directory. The answer does not reveal what is there.
  if (status === 403) return new Problem('not_found', 'There is nothing at this path.');
  const code = CODE_BY_STATUS[status] ?? 'request_malformed';
  return new Problem(code, DETAIL_OVERRIDES[code] ?? detail);
}

/** Turns anything thrown into a problem. An unexpected error reveals nothing of its cause. */
export function problemFrom(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown;
  if (thrown instanceof HttpException) return problemByStatus(thrown.getStatus(), thrown.message);
  const error = thrown as CodedError;
  if (error?.retryable) return unavailable('A part that this call needs is unavailable.');
  if (error?.statusCode && error.statusCode < 500) return problemByStatus(error.statusCode, error.message);
  return new Problem('internal_error', 'The request could not be completed.');
}

const unavailableCauses = new WeakMap<FastifyRequest, string>();
const refusalCodes = new WeakMap<FastifyRequest, string>();

/** Notes the cause of a 503, also for answers of another server, which do not come through the filter. */
export function noteUnavailable(request: FastifyRequest, cause: string): void {
  unavailableCauses.set(request, cause);
}

/** Why a request was answered with 503, as code and text, for the operator: the answer says less. */
export function causeOfUnavailable(request: FastifyRequest): string | undefined {
  return unavailableCauses.get(request);
}

/** Notes the code of a refusal, also for answers of another server. */
export function noteRefusal(request: FastifyRequest, code: string): void {
  refusalCodes.set(request, code);
}

/** Which refusal a request was answered with: several have one status. */
export function codeOfRefusal(request: FastifyRequest): string | undefined {
  return refusalCodes.get(request);
}

/** Answers as application/problem+json. */
export function sendProblem(problem: Problem, request: FastifyRequest, reply: FastifyReply): void {
  noteRefusal(request, problem.code);
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
  /** Without a logger, the filter answers but logs nothing. */
  constructor(private readonly logger?: Logger) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const problem = problemFrom(thrown);
    const request = http.getRequest<FastifyRequest>();
    if (problem.code === 'internal_error') this.logError(thrown, String(request.id));
    const { code, message, why } = thrown as CodedError & { why?: string };
    if (problem.status === 503) noteUnavailable(request, `${code}: ${message}${why ? ` (${why})` : ''}`);
    sendProblem(problem, request, http.getResponse<FastifyReply>());
  }

  /** `request_id` is that of the answer and of the log line of the request. */
  private logError(thrown: unknown, request_id: string): void {
    const err = thrown instanceof Error ? thrown : new Error(String(thrown));
    this.logger?.error({ request_id, err }, err.message);
  }
}
