import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { validationFailed } from '@lettermill/problems';
import type { FastifyRequest } from 'fastify';
import { parameterFaults } from './parameter.faults';

/** Marks a call that checks its query parameters itself. */
export const ChecksParameters = Reflector.createDecorator<true>();

/**
 * Refuses query parameters of all calls that have none. One that is meant to prevent something, such as `dry_run`, or to choose something,
 * such as `version`, must not be ignored.
 */
@Injectable()
export class ParametersGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    if (this.reflector.get(ChecksParameters, context.getHandler())) return true;
    const { query } = context.switchToHttp().getRequest<FastifyRequest>();
    const faults = parameterFaults(Object.keys(query as object));
    if (faults.length > 0) throw validationFailed(faults);
    return true;
  }
}
