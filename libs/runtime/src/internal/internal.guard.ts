import { createParamDecorator, Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Config } from '@lettermill/config';
import { CLOCK, CONFIG, type Clock } from '../platform/platform';
import { forwardedAccountId, notForwardedProblem } from './internal.hook';

/** `keyId` is the id of the API key, where the caller gives one. */
export type AccountRequest = FastifyRequest & { accountId?: string; keyId?: string };

/** Allows only calls that the gateway forwards. For the controllers of services that own data. */
@Injectable()
export class InternalGuard implements CanActivate {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CLOCK) private readonly now: Clock,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<AccountRequest>();
    const accountId = forwardedAccountId(request, this.config.internalSecret, this.now());
    if (!accountId) throw notForwardedProblem();
    request.accountId = accountId;
    return true;
  }
}

/** The account that the call was made for. */
export const AccountId = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<AccountRequest>().accountId,
);
