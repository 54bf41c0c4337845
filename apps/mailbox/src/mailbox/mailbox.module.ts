import { Module, type DynamicModule, type ModuleMetadata, type Provider } from '@nestjs/common';
import { Mailbox } from './mailbox';
import { MailboxController } from './mailbox.controller';
import type { KeylessCallers } from './mailbox.access';
import { MailboxGuard, KEYLESS_CALLERS, type KeyCheck } from './mailbox.guard';
import { API_URL, MailboxPageController, SMTP_ADDRESS } from './mailbox.page.controller';
import { MailStore } from './mailbox.store';

export interface MailboxModuleOptions {
  /** Opened by the caller, which also closes it: dispatch needs its port beforehand. */
  mailbox: Mailbox;
  /** Provides KEY_CHECK. */
  keyCheck: Provider<KeyCheck>;
  /** Modules that provide what `keyCheck` injects. */
  imports?: ModuleMetadata['imports'];
  /** Default: callers on this machine. */
  keyless?: KeylessCallers;
  /** Address of the API. Default: the address of the page. */
  apiUrl?: string;
}

/**
 * A mailbox that needs no key of anybody runs in a network of its own, such as a container: it does not know which of its ports can be
 * reached from outside.
 */
function smtpAddress({ port }: Mailbox, keyless: KeylessCallers): string {
  return keyless === 'all' ? `port ${port} of its host` : `smtp://127.0.0.1:${port}`;
}

/** `/mailbox`: the page and its API, in the gateway of the embedded profile or as a service. */
@Module({})
export class MailboxModule {
  static of({ mailbox, keyCheck, imports = [], keyless = 'local', apiUrl }: MailboxModuleOptions): DynamicModule {
    return {
      module: MailboxModule,
      imports,
      controllers: [MailboxPageController, MailboxController],
      providers: [
        { provide: MailStore, useValue: mailbox.store },
        { provide: SMTP_ADDRESS, useValue: smtpAddress(mailbox, keyless) },
        { provide: KEYLESS_CALLERS, useValue: keyless },
        { provide: API_URL, useValue: apiUrl ?? null },
        keyCheck,
        MailboxGuard,
      ],
    };
  }
}
