import { existsSync, readdirSync, readFileSync } from 'node:fs';
import files, { type FileHandle } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import type { Logger } from '@lettermill/runtime';
import { createTransport } from 'nodemailer';
import { SmtpConversation } from '../testing/smtp.conversation';
import { MailboxSmtp } from './mailbox.smtp';
import { MailStore } from './mailbox.store';

const logger = { warn: jest.fn(), error: jest.fn(), debug: jest.fn() } as unknown as Logger;
const MAX_MAIL_BYTES = 1024 * 1024;
/** 254 octets, the longest address allowed. */
const LONG_ADDRESS = `${'l'.repeat(64)}@${'d'.repeat(62)}.${'d'.repeat(62)}.${'d'.repeat(59)}.com`;

let directory: string;
let store: MailStore;
let smtp: MailboxSmtp;
let port: number;

const storedFiles = () => readdirSync(directory).filter((name) => name.endsWith('.eml'));

/** The prototype of all file handles. */
async function fileHandles(): Promise<FileHandle> {
  const handle = await files.open(directory, 'r');
  await handle.close();
  return Object.getPrototypeOf(handle) as FileHandle;
}

beforeEach(async () => {
  jest.clearAllMocks();
  directory = await files.mkdtemp(join(tmpdir(), 'mailbox-'));
  store = await MailStore.open({ directory, logger });
  smtp = new MailboxSmtp({ store, logger, maxMailBytes: MAX_MAIL_BYTES });
  ({ port } = await smtp.start());
});

afterEach(async () => {
  jest.restoreAllMocks();
  await smtp.stop();
  await store.close();
  await files.rm(directory, { recursive: true });
});

describe('the SMTP server', () => {
  it('refuses a mail that is too large, announced or not, and goes on', async () => {
    const talk = await SmtpConversation.begin(port);
    await talk.send('EHLO test');
    expect(await talk.send(`MAIL FROM:<sam@example.com> SIZE=${MAX_MAIL_BYTES + 1}`)).toMatch(/^552/);
    await talk.send('MAIL FROM:<sam@example.com>');
    await talk.send('RCPT TO:<ada@example.com>');
    await talk.send('DATA');
    talk.socket.write(`${'x'.repeat(MAX_MAIL_BYTES)}\r\n`);
    expect(await talk.send('.')).toMatch(/^552/);
    expect(readdirSync(directory)).toEqual([]);
    await talk.open();
    expect(await talk.send('Subject: small\r\n\r\nhello\r\n.')).toMatch(/^250/);
    talk.socket.end();
  });

  it('fails at test addresses: refuses the recipient, or breaks the connection once the mail is kept', async () => {
    const talk = await SmtpConversation.begin(port);
    await talk.send('EHLO test');
    await talk.send('MAIL FROM:<sam@example.com>');
    expect(await talk.send('RCPT TO:<bounced@mailbox.invalid>')).toBe('550 5.1.1 Nobody has this mailbox.\r\n');
    expect(await talk.send('RCPT TO:<deferred@mailbox.invalid>')).toBe('451 4.3.0 Try again later.\r\n');
    expect(await talk.send('RCPT TO:<full@mailbox.invalid>')).toBe('452 4.2.2 The mailbox is full.\r\n');
    expect(await talk.send('RCPT TO:<uncertain-1@mailbox.invalid>')).toMatch(/^250/);
    expect(await talk.send('DATA')).toMatch(/^354/);
    const ended = once(talk.socket, 'end');
    talk.socket.write('Subject: kept\r\n\r\nhello\r\n.\r\n');
    await ended;
    expect(store.list()).toMatchObject([{ subject: 'kept', to: ['uncertain-1@mailbox.invalid'] }]);

    const again = await SmtpConversation.begin(port);
    await again.open('uncertain-1@mailbox.invalid');
    expect(await again.send('Subject: again\r\n\r\nhello\r\n.')).toMatch(/^250/);
    again.socket.end();
  });

  it('keeps nothing of a mail whose sender disconnects midway', async () => {
    const talk = await SmtpConversation.begin(port);
    await talk.open();
    talk.socket.write(`Subject: half\r\n\r\n${'x'.repeat(300_000)}\r\n`);
    while (readdirSync(directory).length === 0) await new Promise((resolve) => setImmediate(resolve));
    talk.socket.destroy();
    while (readdirSync(directory).length > 0) await new Promise((resolve) => setImmediate(resolve));
    expect(store.list()).toEqual([]);
    expect(logger.error).not.toHaveBeenCalled();
  });

  it('answers 451 if the disk does not accept the mail, and 452 if it is full', async () => {
    const handles = await fileHandles();
    const talk = await SmtpConversation.begin(port);
    for (const [fail, code, answer] of [
      [() => jest.spyOn(files, 'rename'), 'EIO', /^451/],
      [() => jest.spyOn(handles, 'datasync'), 'ENOSPC', /^452/],
      [() => jest.spyOn(handles, 'writeFile'), 'EDQUOT', /^452/],
    ] as const) {
      fail().mockRejectedValueOnce(Object.assign(new Error('disk'), { code }));
      await talk.open();
      talk.socket.write(`Subject: lost\r\n\r\n${'x'.repeat(300_000)}\r\n`);
      expect(await talk.send('.')).toMatch(answer);
      jest.restoreAllMocks();
    }
    expect(readdirSync(directory)).toEqual([]);
    expect(logger.error).toHaveBeenCalledTimes(3);
    await talk.open();
    expect(await talk.send('Subject: kept\r\n\r\nhello\r\n.')).toMatch(/^250/);
    talk.socket.end();
  });

  it('answers 250 once the mail is durable: content synced, renamed, and the name synced', async () => {
    const order: string[] = [];
    const handles = await fileHandles();
    for (const step of ['datasync', 'sync'] as const) {
      const real = Object.getOwnPropertyDescriptor(handles, step)!.value as () => Promise<void>;
      jest.spyOn(handles, step).mockImplementation(async function (this: FileHandle) {
        await real.call(this);
        order.push(step);
      });
    }
    const { rename } = files;
    jest.spyOn(files, 'rename').mockImplementation(async (from, to) => {
      await rename(from, to);
      order.push('rename');
    });
    const talk = await SmtpConversation.begin(port);
    await talk.open();
    const answer = await talk.send('Subject: durable\r\n\r\nhello\r\n.');
    expect(order).toEqual(['datasync', 'rename', 'sync']);
    const id = /kept as (\w{18})/.exec(answer)![1]!;
    expect(existsSync(join(directory, `${id}.eml`))).toBe(true);
    expect(readFileSync(join(directory, `${id}.eml`), 'utf8')).toMatch(/\r\nSubject: durable\r\n\r\nhello\r\n$/);
    talk.socket.end();
  });

  it('offers its extensions, but neither TLS nor AUTH', async () => {
    const talk = await SmtpConversation.begin(port);
    const offer = await talk.send('EHLO test');
    for (const extension of ['PIPELINING', '8BITMIME', 'SMTPUTF8', 'ENHANCEDSTATUSCODES', `SIZE ${MAX_MAIL_BYTES}`]) {
      expect(offer).toContain(extension);
    }
    expect(offer).not.toMatch(/STARTTLS|AUTH/);
    for (const command of ['STARTTLS', 'AUTH PLAIN AGEAYg==']) expect(await talk.send(command)).toMatch(/^50\d/);
    talk.socket.end();
  });

  it('keeps a bounce, addresses in every script and dots at the start of lines as they are', async () => {
    const talk = await SmtpConversation.begin(port);
    await talk.send('EHLO test');
    await talk.send('MAIL FROM:<> SMTPUTF8');
    const recipients = ['用户@例子.中国', 'δοκιμή@παράδειγμα.ελ', '"a b@c..d>"@example.com', LONG_ADDRESS];
    for (const to of recipients) expect(await talk.send(`RCPT TO:<${to}>`)).toMatch(/^250/);
    await talk.send('DATA');
    expect(await talk.send('Subject: grüße\r\n\r\n..dot\r\n.')).toMatch(/^250/);
    const [mail] = store.list();
    expect(mail).toMatchObject({ from: '', subject: 'grüße' });
    expect(mail!.to).toEqual(recipients);
    expect((await store.get(mail!.id))!.text).toBe('.dot\n');
    talk.socket.end();
  });

  it('refuses addresses so long that a mail with the most recipients could not be read back', async () => {
    const talk = await SmtpConversation.begin(port);
    await talk.send('EHLO test');
    const longest = (i: number) => `${String(i).padStart(996 - '@example.com'.length, 'x')}@example.com`;
    expect(await talk.send(`MAIL FROM:<x${longest(0)}xxxxxxxx>`)).toMatch(/^553/);
    await talk.send(`MAIL FROM:<${longest(0)}>`);
    expect(await talk.send(`RCPT TO:<${longest(1)}xxxxxxxx>`)).toMatch(/^553/);
    for (let i = 0; i < 100; i += 1) expect(await talk.send(`RCPT TO:<${longest(i)}>`)).toMatch(/^250/);
    await talk.send('DATA');
    expect(await talk.send('Subject: many\r\n\r\nhello\r\n.')).toMatch(/^250/);
    talk.socket.destroy();
    const again = await MailStore.open({ directory, logger });
    expect(again.list()).toEqual(store.list());
    expect(again.list()).toHaveLength(1);
    await again.close();
  });

  it('hands a mail to the return path on with the sender that it came with', async () => {
    const handed: string[] = [];
    const deliver = (_address: string, raw: Buffer) => Promise.resolve(void handed.push(raw.toString()));
    smtp.returnPath = { judge: () => 'ours', deliver };
    const talk = await SmtpConversation.begin(port);
    for (const line of ['EHLO test', 'MAIL FROM:<>', 'RCPT TO:<bounces@example.com>', 'DATA']) await talk.send(line);
    expect(await talk.send('Subject: bounce\r\n\r\nno\r\n.')).toMatch(/^250/);
    expect(handed).toEqual(['Return-Path: <>\r\nSubject: bounce\r\n\r\nno\r\n']);
    talk.socket.destroy();
  });

  it('ends a connection that takes too long for a mail, although it is never idle', async () => {
    const restart = async (mailTimeoutMs?: number) => {
      await smtp.stop();
      smtp = new MailboxSmtp({ store, logger, mailTimeoutMs });
      ({ port } = await smtp.start());
    };
    await restart(50);
    const talk = await SmtpConversation.begin(port);
    await talk.open();
    talk.socket.on('error', () => undefined);
    const dripping = setInterval(() => talk.socket.write('x'), 5);
    await once(talk.socket, 'close');
    clearInterval(dripping);
    await restart();
    const next = await SmtpConversation.begin(port);
    await next.open();
    expect(await next.send('Subject: quick\r\n\r\nhello\r\n.')).toMatch(/^250/);
    next.socket.destroy();
    expect(readdirSync(directory)).toHaveLength(1);
  });

  it('answers 451 to a report that was cleared before it was handed on', async () => {
    const handed: string[] = [];
    let judged = 0;
    smtp.returnPath = {
      judge: () => {
        judged += 1;
        // The first call is at RCPT, the second when the mail is kept.
        if (judged === 2) void store.clear();
        return 'ours';
      },
      deliver: (address) => Promise.resolve(void handed.push(address)),
    };
    const talk = await SmtpConversation.begin(port);
    await talk.open('bounces@example.com');
    expect(await talk.send('Subject: bounce\r\n\r\nno\r\n.')).toMatch(/^451/);
    await talk.open('bounces@example.com');
    expect(await talk.send('Subject: bounce\r\n\r\nno\r\n.')).toMatch(/^250/);
    expect(handed).toEqual(['bounces@example.com']);
    talk.socket.destroy();
  });

  it('answers 451 to a report that could not be handed on, and 550 to a forged return path', async () => {
    smtp.returnPath = {
      judge: (address) => (address.startsWith('forged') ? 'forged' : 'ours'),
      deliver: () => Promise.reject(new Error('dispatch is away')),
    };
    const talk = await SmtpConversation.begin(port);
    await talk.open('bounces@example.com');
    expect(await talk.send('Subject: bounce\r\n\r\nno\r\n.')).toMatch(/^451/);
    await talk.send('MAIL FROM:<>');
    expect(await talk.send('RCPT TO:<forged@example.com>')).toMatch(/^550/);
    talk.socket.destroy();
  });

  it('keeps the mails of many concurrent senders, each once', async () => {
    const transport = createTransport({ host: '127.0.0.1', port, ignoreTLS: true, pool: true, maxConnections: 20 });
    const subjects = Array.from({ length: 200 }, (_, n) => `mail ${n}`);
    await Promise.all(
      subjects.map((subject) =>
        transport.sendMail({
          from: 'sam@example.com',
          to: 'ada@example.com',
          bcc: 'b@example.com',
          subject,
          text: subject,
        }),
      ),
    );
    transport.close();
    const list = store.list();
    expect(list.map(({ subject }) => subject).sort()).toEqual([...subjects].sort());
    expect(list[0]!.to).toEqual(['ada@example.com', 'b@example.com']);
    expect(storedFiles()).toHaveLength(200);
  });

  it('refuses connections beyond its limit, and serves those that it has', async () => {
    await smtp.stop();
    smtp = new MailboxSmtp({ store, logger, maxConnections: 2 });
    ({ port } = await smtp.start());
    const [first, second] = [await SmtpConversation.begin(port), await SmtpConversation.begin(port)];
    const third = connect(port, '127.0.0.1');
    expect(String((await once(third, 'data'))[0])).toMatch(/^421/);
    for (const talk of [first, second]) {
      await talk.open('"a b"@example.com');
      expect(await talk.send('Subject: served\r\n\r\nhello\r\n.')).toMatch(/^250/);
    }
    expect(store.list().map(({ to }) => to[0])).toEqual(['"a b"@example.com', '"a b"@example.com']);
    for (const socket of [first.socket, second.socket, third]) socket.destroy();
  });

  it('does not start on a port that is in use', async () => {
    const second = new MailboxSmtp({ store, logger, port });
    await expect(second.start()).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('stops even if a connection is held open', async () => {
    const talk = await SmtpConversation.begin(port);
    const closed = once(talk.socket, 'close');
    await smtp.stop();
    await closed;
    smtp = new MailboxSmtp({ store, logger });
    await smtp.start();
  });
});
