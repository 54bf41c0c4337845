import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { ServiceDefinition } from '@lettermill/runtime';
import type { FastifyInstance } from 'fastify';
import { guardAccess } from './accounts/access.hook';
import { KeyRing } from './accounts/key.ring';
import { RateLimit } from './accounts/rate.limit';
import { acceptMultipart } from './attachments/multipart';
import { serveDocs } from './docs/openapi';
import { acceptMails } from './inbound/mail.bodies';
import { GatewayModule } from './gateway.module';
import { acceptForms } from './unsubscribe/form.bodies';

export async function furnishGateway(app: NestFastifyApplication): Promise<void> {
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  guardAccess(fastify, app.get(KeyRing), app.get(RateLimit));
  await acceptMultipart(fastify);
  acceptMails(fastify);
  acceptForms(fastify);
  serveDocs(app);
}

/** The gateway as a service of its own. */
export const gatewayService: ServiceDefinition = { name: 'gateway', module: GatewayModule, furnish: furnishGateway };
