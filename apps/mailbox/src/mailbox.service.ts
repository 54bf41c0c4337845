import { createHash, timingSafeEqual } from 'node:crypto';
import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { Global, Module, type DynamicModule } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DEFAULT_PORTS, type Config } from '@lettermill/config';
import {
  closeHttp,
  createWebApp,
  deniedData,
  listenFault,
  listenOn,
  loggerOf,
  makeDataDirectory,
  sharedProbe,
  Draining,
  SHUTDOWN_GRACE_MS,
  PROBES,
  type Logger,
  type Probes,
} from '@lettermill/runtime';
import { gatewayReceiver } from './gateway.receiver';
import { Mailbox } from './mailbox/mailbox';
import { keylessCallers } from './mailbox/mailbox.access';
import { KEY_CHECK, type KeyCheck } from './mailbox/mailbox.guard';
import { MailboxModule } from './mailbox/mailbox.module';

/** Default address of the gateway of a trial installation, for a person on this machine. */
const DEFAULT_GATEWAY_URL = `http://127.0.0.1:${DEFAULT_PORTS.gateway}`;

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Compares with the single key given, in constant time; without a key nothing is accepted. */
export function keyCheckOf(key: string | null): KeyCheck {
  const expected = key === null ? undefined : digest(`Bearer ${key}`);
  return (authorization) =>
    Promise.resolve(expected !== undefined && timingSafeEqual(digest(authorization ?? ''), expected));
}

@Global()
@Module({})
class ProbesModule {
  static of(probes: Probes): DynamicModule {
    const providers = [{ provide: PROBES, useValue: probes }];
    return { module: ProbesModule, providers, exports: providers };
  }
}

/** The mailbox as a service: a next hop for trying out the cluster profile. It uses neither log nor stores. */
export class MailboxService {
  private mailbox: Mailbox | undefined;
  private app: NestFastifyApplication | undefined;

  constructor(
    private readonly config: Config,
    private readonly logger: Logger,
  ) {}

  async start(): Promise<void> {
    const { host, port, dataDir, maxBodyBytes, bootstrapApiKey, publicUrl, caller, mailbox: settings } = this.config;
    makeDataDirectory(dataDir);
    const directory = join(dataDir, 'mailbox');
    const logger = loggerOf('mailbox', this.logger);
    const mailbox = await Mailbox.open({ directory, logger, port: settings.smtpPort, host }).catch((error: unknown) => {
      throw deniedData(dataDir, listenFault(error, host, settings.smtpPort, 'MAILBOX_SMTP_PORT'));
    });
    this.mailbox = mailbox;
    if (bootstrapApiKey) mailbox.openReturnPath(gatewayReceiver(caller.gatewayUrl, bootstrapApiKey));
    const keyCheck = { provide: KEY_CHECK, useValue: keyCheckOf(bootstrapApiKey) };
    this.app = await createWebApp({ service: 'mailbox', logger: this.logger, maxBodyBytes, behindGateway: false }, [
      ProbesModule.of({ disk: sharedProbe(() => access(directory, constants.W_OK)) }),
      MailboxModule.of({
        mailbox,
        keyCheck,
        keyless: keylessCallers(this.config),
        apiUrl: publicUrl ?? DEFAULT_GATEWAY_URL,
      }),
    ]);
    await listenOn(this.app, host, port);
    logger.info({ port: this.port, smtp_port: mailbox.port }, 'ready');
  }

  /** Port of the page. */
  get port(): number {
    return (this.app!.getHttpServer().address() as { port: number }).port;
  }

  get smtpPort(): number {
    return this.mailbox!.port;
  }

  async stop(): Promise<void> {
    if (this.app) {
      this.app.get(Draining).begin();
      await closeHttp(this.app, SHUTDOWN_GRACE_MS);
    }
    await this.mailbox?.close();
  }
}
