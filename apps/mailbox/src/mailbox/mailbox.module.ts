import { Module, type DynamicModule, type ModuleMetadata, type Provider } from '@nestjs/common';
import { Mailbox } from './mailbox';
import { MailboxController } from './mailbox.controller';
import { MailboxGuard, OPEN, type KeyCheck } from './mailbox.guard';
import { API_URL, MailboxPageController, SMTP_SHOWN } from './mailbox.page.controller';
import { MailStore } from './mailbox.store';

export interface MailboxModuleOptions {
  /** Opened before, as dispatch needs its port; who opened it closes it. */
  mailbox: Mailbox;
  /** Provides KEY_CHECK. */
  keyCheck: Provider<KeyCheck>;
  /** Modules that `keyCheck` is made from. */
  imports?: ModuleMetadata['imports'];
  /** Whether those who reach the port need no key. Default: only those on this machine. */
  open?: boolean;
  /** Where the API is. Default: beside the page. */
  apiUrl?: string;
}

/** A mailbox that needs no key is in a network of its own, as in a container: which of its ports can be reached from outside it does not know. */
function smtpShown({ port }: Mailbox, open: boolean): string {
  return open ? `port ${port} of its host` : `smtp://127.0.0.1:${port}`;
}

/** `/mailbox`: the page and its API, in the gateway of the embedded profile or in a service of its own. */
@Module({})
export class MailboxModule {
  static of({ mailbox, keyCheck, imports = [], open = false, apiUrl }: MailboxModuleOptions): DynamicModule {
    return {
      module: MailboxModule,
      imports,
      controllers: [MailboxPageController, MailboxController],
      providers: [
        { provide: MailStore, useValue: mailbox.store },
        { provide: SMTP_SHOWN, useValue: smtpShown(mailbox, open) },
        { provide: OPEN, useValue: open },
        { provide: API_URL, useValue: apiUrl ?? null },
        keyCheck,
        MailboxGuard,
      ],
    };
  }
}
