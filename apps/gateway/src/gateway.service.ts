import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { compileVerdict } from '@lettermill/contract';
import type { ServiceDefinition } from '@lettermill/runtime';
import type { FastifyInstance } from 'fastify';
import { guardAccess } from './accounts/access.hook';
import { KeyRing } from './accounts/key.ring';
import { RateLimit } from './accounts/rate.limit';
import { acceptMultipart } from './attachments/multipart';
import { serveDocs } from './docs/openapi';
import { acceptMails } from './inbound/mail.bodies';
import { GatewayModule } from './gateway.module';
import { SEND_PATH, SendController } from './send/send.controller';
import { acceptForms } from './unsubscribe/form.bodies';

/**
 * Fastify calls the controller of the send call directly. Nest wraps each handler in seven promises for pipes, guards and interceptors;
 * this handler has none of them, and its speed matters most. Errors are handled as for every other call.
 */
function bypassNestForSend(fastify: FastifyInstance, controller: SendController): void {
  fastify.addHook('onRoute', (route) => {
    if (route.method !== 'POST' || route.url !== SEND_PATH) return;
    route.handler = (request, reply) => controller.send(request, reply);
  });
}

async function furnishGateway(app: NestFastifyApplication): Promise<void> {
  compileVerdict();
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  guardAccess(fastify, app.get(KeyRing), app.get(RateLimit));
  await acceptMultipart(fastify, SEND_PATH);
  bypassNestForSend(fastify, app.get(SendController));
  acceptMails(fastify);
  acceptForms(fastify);
  serveDocs(app);
}

/** The gateway as a service. */
export const gatewayService: ServiceDefinition = { name: 'gateway', module: GatewayModule, furnish: furnishGateway };
