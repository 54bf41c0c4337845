import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Problem } from '@lettermill/problems';
import type { FastifyRequest } from 'fastify';
import { isAtHome } from './mailbox.access';

/** Whether an Authorization header holds a valid API key. */
export type KeyCheck = (authorization: string | undefined) => Promise<boolean>;
export const KEY_CHECK = Symbol('KeyCheck');

/** Lets in who is on this machine, and from elsewhere who has a key (design 5). */
@Injectable()
export class MailboxGuard implements CanActivate {
  constructor(@Inject(KEY_CHECK) private readonly hasKey: KeyCheck) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { headers, raw } = context.switchToHttp().getRequest<FastifyRequest>();
    if (isAtHome({ peer: raw.socket.remoteAddress, headers })) return true;
    if (headers.authorization !== undefined && (await this.hasKey(headers.authorization))) return true;
    throw new Problem(
      'unauthorized',
      'The mailbox opens without a key on the machine it runs on, at a loopback address; from elsewhere it needs an API key.',
      [],
      { 'www-authenticate': 'Bearer' },
    );
  }
}
