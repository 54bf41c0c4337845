import { runProcess } from '@lettermill/runtime';
import { MailboxService } from './mailbox.service';

runProcess('mailbox', (config, logger) => {
  const mailbox = new MailboxService(config, logger);
  return { start: () => mailbox.start(), stop: () => mailbox.stop() };
});
