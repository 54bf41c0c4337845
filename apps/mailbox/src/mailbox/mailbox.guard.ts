import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Problem } from '@lettermill/problems';
import type { FastifyRequest } from 'fastify';
import { asBearer, isLoopbackRequest, challengeTo, isLocalCaller } from './mailbox.access';

/** Whether an Authorization header holds a valid API key. */
export type KeyCheck = (authorization: string | undefined) => Promise<boolean>;
export const KEY_CHECK = Symbol('KeyCheck');
/** Whether everybody who reaches the port counts as being on this machine. */
export const MAILBOX_OPEN = Symbol('MailboxOpen');

/** Admits callers on this machine, and callers from elsewhere that have a key. */
@Injectable()
export class MailboxGuard implements CanActivate {
  constructor(
    @Inject(KEY_CHECK) private readonly hasKey: KeyCheck,
    @Inject(MAILBOX_OPEN) private readonly open: boolean,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { headers, raw } = context.switchToHttp().getRequest<FastifyRequest>();
    const caller = { peer: raw.socket.remoteAddress, headers };
    if (this.open ? isLoopbackRequest(caller) : isLocalCaller(caller)) return true;
    if (headers.authorization !== undefined && (await this.hasKey(asBearer(headers.authorization)))) return true;
    throw new Problem(
      'unauthorized',
      'The mailbox is open without a key only on the machine it runs on, at a loopback address. From elsewhere it needs an API key, unless MAILBOX_OPEN=true is set.',
      [],
      { 'www-authenticate': challengeTo(headers) },
    );
  }
}
