import { createParamDecorator, Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Problem } from '@lettermill/problems';
import type { FastifyRequest } from 'fastify';
import type { Config } from '../config/config';
import { CLOCK, CONFIG, type Clock } from '../platform/platform';
import { INTERNAL_HEADER, verifyInternal } from './internal.token';

export type AccountRequest = FastifyRequest & { accountId?: string };

/** Lets in what the gateway forwards, and nobody else: put it on the controllers of an owner. */
@Injectable()
export class InternalGuard implements CanActivate {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CLOCK) private readonly now: Clock,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<AccountRequest>();
    const token = request.headers[INTERNAL_HEADER];
    const secret = this.config.internalSecret;
    const seen = { method: request.method, path: request.url };
    const accountId = secret && typeof token === 'string' ? verifyInternal(secret, token, seen, this.now()) : undefined;
    if (!accountId) throw new Problem('unauthorized', 'This service answers the gateway alone.');
    request.accountId = accountId;
    return true;
  }
}

/** The account that the call is for. */
export const AccountId = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<AccountRequest>().accountId,
);
