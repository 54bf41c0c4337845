import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Problem, validationFailed } from '@lettermill/problems';
import { hasReadableQuery } from '@lettermill/runtime';
import type { FastifyRequest } from 'fastify';
import { bodyFaults, parameterFaults } from './parameter.faults';

const BROKEN_ESCAPE = 'An escape in the query is malformed, or is not UTF-8.';

/** Marks a call that checks its query parameters itself. */
export const ChecksParameters = Reflector.createDecorator<true>();
/** Marks a POST that reads a body. Every PUT does, and no other call. */
export const ReadsBody = Reflector.createDecorator<true>();

/**
 * Refuses query parameters of all calls that have none, and bodies of all calls that read none. What is meant to prevent something, such
 * as `dry_run`, or to choose something, such as `version` or `reason`, must not be ignored. Throws `Problem`.
 */
@Injectable()
export class ParametersGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const handler = context.getHandler();
    const { method, url, query, body } = context.switchToHttp().getRequest<FastifyRequest>();
    if (!hasReadableQuery(url)) throw new Problem('request_malformed', BROKEN_ESCAPE);
    const hasQuery = this.reflector.get(ChecksParameters, handler) ?? false;
    const readsBody = method === 'PUT' || this.reflector.get(ReadsBody, handler);
    const faults = [
      ...(hasQuery ? [] : parameterFaults(Object.keys(query as object))),
      ...(readsBody ? [] : bodyFaults(body, hasQuery)),
    ];
    if (faults.length === 0) return true;
    throw validationFailed(faults, method === 'GET' || method === 'HEAD' ? undefined : 'changed');
  }
}
