import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '@lettermill/runtime';
import { SmtpConversation } from '../testing/smtp.conversation';
import { MailboxSmtp } from './mailbox.smtp';
import { MailStore } from './mailbox.store';

const logger = { warn: jest.fn(), error: jest.fn(), debug: jest.fn() } as unknown as Logger;

let directory: string;
let store: MailStore;
let smtp: MailboxSmtp;
let port: number;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'mailbox-'));
  store = await MailStore.open({ directory, logger });
  smtp = new MailboxSmtp({ store, logger });
  ({ port } = await smtp.start());
});

afterEach(async () => {
  await smtp.stop();
  await store.close();
  await rm(directory, { recursive: true });
});

describe('test addresses whose mail is accepted', () => {
  it('have a report written to the sender of the mail, and none if it has no sender', async () => {
    const reports: [string, string][] = [];
    let arrived = () => undefined as void;
    const both = new Promise<void>((resolve) => (arrived = () => reports.length === 2 && resolve()));
    smtp.returnPath = {
      judge: () => 'other',
      deliver: (address, raw) => {
        const [, type] = /report-type=([a-z-]+)/.exec(raw.toString())!;
        reports.push([address, type!]);
        return Promise.resolve(arrived());
      },
    };
    const talk = await SmtpConversation.begin(port);
    for (const sender of ['', 'sam@example.com']) {
      await talk.send('EHLO test');
      await talk.send(`MAIL FROM:<${sender}>`);
      await talk.send('RCPT TO:<returned@mailbox.invalid>');
      await talk.send('RCPT TO:<complained@mailbox.invalid>');
      await talk.send('DATA');
      expect(await talk.send('Subject: kept\r\n\r\nhello\r\n.')).toMatch(/^250/);
    }
    talk.socket.end();
    await both;
    expect(reports.sort()).toEqual([
      ['sam@example.com', 'delivery-status'],
      ['sam@example.com', 'feedback-report'],
    ]);
    const kept = store.list().filter(({ to }) => to[0] === 'sam@example.com');
    expect(kept.map(({ from }) => from).sort()).toEqual(['feedback@mailbox.invalid', 'mailer-daemon@mailbox.invalid']);
  });

  it('have no report written once the server is to stop', async () => {
    const talk = await SmtpConversation.begin(port);
    await talk.open('returned@mailbox.invalid');
    expect(await talk.send('Subject: kept\r\n\r\nhello\r\n.')).toMatch(/^250/);
    talk.socket.end();
    await smtp.stop();
    expect(store.list()).toHaveLength(1);
    smtp = new MailboxSmtp({ store, logger });
    await smtp.start();
  });
});
