import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { ServiceDefinition } from '@lettermill/runtime';
import type { FastifyInstance } from 'fastify';
import { guardAccess } from './accounts/access.hook';
import { KeyRing } from './accounts/key.ring';
import { RateLimit } from './accounts/rate.limit';
import { serveDocs } from './docs/openapi';
import { GatewayModule } from './gateway.module';

export function furnishGateway(app: NestFastifyApplication): void {
  guardAccess(app.getHttpAdapter().getInstance() as unknown as FastifyInstance, app.get(KeyRing), app.get(RateLimit));
  serveDocs(app);
}

/** The gateway as a service of its own. */
export const gatewayService: ServiceDefinition = { name: 'gateway', module: GatewayModule, furnish: furnishGateway };
