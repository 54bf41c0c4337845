import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Problem } from '@lettermill/problems';
import type { FastifyRequest } from 'fastify';
import { asBearer, challengeTo, needsNoKey, type KeylessCallers } from './mailbox.access';

/** Whether an Authorization header holds a valid API key. */
export type KeyCheck = (authorization: string | undefined) => Promise<boolean>;
export const KEY_CHECK = Symbol('KeyCheck');
export const KEYLESS_CALLERS = Symbol('KeylessCallers');

/** Admits callers that need no key, and others that have one. */
@Injectable()
export class MailboxGuard implements CanActivate {
  constructor(
    @Inject(KEY_CHECK) private readonly hasKey: KeyCheck,
    @Inject(KEYLESS_CALLERS) private readonly keyless: KeylessCallers,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { headers, raw } = context.switchToHttp().getRequest<FastifyRequest>();
    const caller = { peer: raw.socket.remoteAddress, headers };
    if (needsNoKey(caller, this.keyless)) return true;
    if (headers.authorization !== undefined && (await this.hasKey(asBearer(headers.authorization)))) return true;
    throw new Problem(
      'unauthorized',
      'The mailbox is open without a key only on the machine it runs on, at a loopback address, and only if PUBLIC_URL is none or such an address. Otherwise it needs an API key, unless MAILBOX_OPEN=true is set.',
      [],
      { 'www-authenticate': challengeTo(headers) },
    );
  }
}
