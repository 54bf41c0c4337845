import { join } from 'node:path';
import { Module, type DynamicModule } from '@nestjs/common';
import type { Config, NextHop, Owner } from '@lettermill/config';
import {
  ControlServer,
  deniedData,
  waitForDrain,
  SHUTDOWN_GRACE_MS,
  listenFault,
  openEmbedded,
  Service,
  stopTracing,
  type Logger,
  type OpenPlatform,
  type Platform,
  type ServiceDefinition,
} from '@lettermill/runtime';
import { contactsService } from '../../contacts/src/contacts.service';
import { DispatchModule } from '../../dispatch/src/dispatch.module';
import { KeyRing } from '../../gateway/src/accounts/key.ring';
import { GatewayModule } from '../../gateway/src/gateway.module';
import { gatewayService } from '../../gateway/src/gateway.service';
import { RendererModule } from '../../renderer/src/renderer.module';
import { TrackerModule } from '../../tracker/src/tracker.module';
import { launchWelcome, type GatewayCall } from '../../init/src/first-run/welcome.campaign';
import { Mailbox } from '../../mailbox/src/mailbox/mailbox';
import { keylessCallers, type KeylessCallers } from '../../mailbox/src/mailbox/mailbox.access';
import { KEY_CHECK } from '../../mailbox/src/mailbox/mailbox.guard';
import { MailboxModule } from '../../mailbox/src/mailbox/mailbox.module';
import { banner } from './first-run/banner';
import { firstKey, instanceSecret } from './first-run/first.key';
import { returnPathReceiver } from './return-path/return.path.receiver';

/**
 * How long the tracker lets events lie, so that mails go out before timelines are written; a call that asks for a timeline does not wait
 * for it.
 */
const TRACKER_LINGER_MS = 20;
/** Logged at once, because otherwise nothing would fail before a mail comes back or has to be signed. */
const LOST_SECRET_WARNING =
  'instance-secret was missing from DATA_DIR, and a new one was made: unsubscribe links and return paths in earlier mails are refused, and ' +
  'DKIM keys encrypted with the old one cannot be decrypted, until FORMER_INTERNAL_SECRET gives it';
const DEFINITIONS: Record<Owner, ServiceDefinition> = {
  contacts: contactsService,
  renderer: { name: 'renderer', module: RendererModule },
  dispatch: { name: 'dispatch', module: DispatchModule },
  tracker: { name: 'tracker', module: TrackerModule, lingerMs: TRACKER_LINGER_MS },
};

const stopsFirst = ({ name }: Service) => name === 'gateway' || name === 'dispatch';

/** Calls from within the process need no socket, and are not counted as requests of a user. */
const callInProcess =
  ({ app }: Service): GatewayCall =>
  async ({ body: payload, ...request }) => {
    const { statusCode: status, body } = await app.inject({ ...request, payload });
    return { status, body };
  };

@Module({})
class GatewayWithMailbox {
  static of(mailbox: Mailbox, keyless: KeylessCallers): DynamicModule {
    const keyCheck = {
      provide: KEY_CHECK,
      inject: [KeyRing],
      useFactory: (keys: KeyRing) => (authorization: string | undefined) =>
        Promise.resolve(keys.keyOf(authorization) !== undefined),
    };
    return {
      module: GatewayWithMailbox,
      imports: [GatewayModule, MailboxModule.of({ mailbox, imports: [GatewayModule], keyCheck, keyless })],
    };
  }
}

/** The embedded profile: five services in one process, each a Nest application of its own. */
export class Standalone {
  private services: Service[] = [];
  private mailbox: Mailbox | undefined;
  private openedPlatform: OpenPlatform | undefined;
  private control: ControlServer | undefined;
  private starting: Promise<string> | undefined;
  private stopping = false;

  constructor(
    private readonly config: Config,
    private readonly logger: Logger,
    private readonly onFatal: (error: Error) => void,
  ) {}

  /** Resolves to the text that tells a person how to continue. Rejects if `stop` is called first. */
  start(): Promise<string> {
    this.starting = this.run().catch((error: unknown) => {
      throw deniedData(this.config.dataDir, error);
    });
    return this.starting;
  }

  /**
   * Stops in order: gateway and dispatch first, then the other services, then what they depend on. Dispatch stops together with the
   * gateway, because mails in progress need that time, too.
   */
  async stop(): Promise<void> {
    this.stopping = true;
    this.services.forEach((service) => service.drain());
    // Nothing may be closed while a service that uses it is still being made.
    const started = await this.starting?.catch(() => undefined);
    if (started !== undefined) await waitForDrain(this.config);
    const [first, others] = [this.services.filter(stopsFirst), this.services.filter((service) => !stopsFirst(service))];
    await Promise.all([this.control?.close(), ...first.map((service) => service.close(SHUTDOWN_GRACE_MS))]);
    await Promise.all(others.map((service) => service.close(0)));
    await this.mailbox?.close();
    await this.openedPlatform?.close();
    await stopTracing();
  }

  private async run(): Promise<string> {
    const { config, logger } = this;
    const opened = (this.openedPlatform = await openEmbedded(config, logger, this.onFatal, () =>
      this.throwIfStopping(),
    ));
    this.throwIfStopping();
    const key = await firstKey(config.dataDir, config.bootstrapApiKey, config.revokedApiKeys);
    const nextHop = config.nextHop ?? (await this.openMailbox());
    const settings: Config = {
      ...config,
      nextHop,
      bootstrapApiKey: key,
      internalSecret: await instanceSecret(config.dataDir, config.internalSecret, () => {
        if (opened.used && !config.formerInternalSecret) logger.warn(LOST_SECRET_WARNING);
      }),
    };
    const owners = await this.startOwners({ ...opened.platform, config: settings });
    const gateway = await Service.create(
      this.mailbox
        ? { ...gatewayService, module: GatewayWithMailbox.of(this.mailbox, keylessCallers(config)) }
        : gatewayService,
      { ...opened.platform, config: { ...settings, owners } },
      this.onFatal,
    );
    this.services.unshift(gateway);
    this.throwIfStopping();
    this.mailbox?.openReturnPath(returnPathReceiver({ ...settings, owners }, Date.now));
    // The sample campaign exists before the gateway reports ready, so that the call in the banner works.
    const gatewayUrl = await gateway.start(config.host, config.port, () => launchWelcome(callInProcess(gateway), key));
    this.throwIfStopping();
    this.control = await ControlServer.open(config.dataDir, opened.platform.log);
    return banner({
      gatewayUrl,
      key: config.bootstrapApiKey ? null : key,
      dataDir: config.dataDir,
      nextHop: config.nextHop ? `${config.nextHop.host}:${config.nextHop.port}` : undefined,
    });
  }

  private throwIfStopping(): void {
    if (this.stopping) throw new Error('it was told to stop while it started');
  }

  private async openMailbox(): Promise<NextHop> {
    const { dataDir, mailbox } = this.config;
    const host = '127.0.0.1';
    const settings = { directory: join(dataDir, 'mailbox'), logger: this.logger, host, port: mailbox.smtpPort };
    this.mailbox = await Mailbox.open(settings).catch((error: unknown) => {
      throw listenFault(error, host, mailbox.smtpPort, 'MAILBOX_SMTP_PORT');
    });
    return { host, port: this.mailbox.port, implicitTls: false, tls: 'off', auth: null };
  }

  /** Starts the owners on free loopback ports: only the gateway calls them. */
  private async startOwners(platform: Platform): Promise<Record<Owner, string>> {
    const starting = Object.values(DEFINITIONS).map(async (definition) => {
      const service = await Service.create(definition, platform, this.onFatal);
      this.services.push(service);
      this.throwIfStopping();
      return [definition.name, await service.start('127.0.0.1', 0)];
    });
    // If one cannot start, wait until none of the others is half made.
    await Promise.allSettled(starting);
    return Object.fromEntries(await Promise.all(starting)) as Record<Owner, string>;
  }
}
