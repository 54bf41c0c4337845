import files, { mkdir, mkdtemp, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Logger } from '@lettermill/runtime';
import { MailTooLarge } from './mailbox.draft';
import { MailStore } from './mailbox.store';

const logger = { warn: jest.fn() } as unknown as Logger;
const envelope = { from: 'sender@example.com', to: ['ada@example.com', 'hidden@example.com'] };
const MB = 1024 * 1024;
/** How many mails are kept (docs/operating.md). */
const MAX_MAILS = 1000;

let directory: string;
let now: number;
const stores: MailStore[] = [];

const open = async (keep?: number, keepBytes?: number): Promise<MailStore> => {
  const store = await MailStore.open({ directory, logger, clock: () => now, keep, keepBytes });
  stores.push(store);
  return store;
};

const chunks = (...parts: (string | Buffer)[]): AsyncIterable<Buffer> =>
  Readable.from(parts.map((part) => Buffer.from(part)));

const mailOf = (subject: string, body = 'Hello.\r\n') =>
  `From: "Sam Sender" <sam@example.com>\r\nTo: ada@example.com\r\nSubject: ${subject}\r\n\r\n${body}`;

const receiveOne = (store: MailStore, subject: string) => store.receive(envelope, chunks(mailOf(subject)), MB);

beforeEach(async () => {
  directory = join(await mkdtemp(join(tmpdir(), 'mailbox-')), 'mailbox');
  now = Date.UTC(2026, 0, 1);
});

afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  await rm(join(directory, '..'), { recursive: true });
  expect(logger.warn).not.toHaveBeenCalled();
});

describe('MailStore', () => {
  it('is for its owner alone again when it was restored from a copy', async () => {
    await mkdir(directory, { mode: 0o755 });
    await open();
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
  });

  it('keeps nothing of a mail that is too large', async () => {
    const store = await open();
    const content = chunks(Buffer.alloc(600_000), Buffer.alloc(600_000));
    await expect(store.receive(envelope, content, MB)).rejects.toBeInstanceOf(MailTooLarge);
    expect(await readdir(directory)).toEqual([]);
    expect(store.list()).toEqual([]);
  });

  it('keeps nothing of a mail whose sender disconnects', async () => {
    const store = await open();
    async function* broken(): AsyncGenerator<Buffer> {
      yield* chunks(Buffer.alloc(300_000));
      throw new Error('gone');
    }
    await expect(store.receive(envelope, broken(), MB)).rejects.toThrow('gone');
    expect(await readdir(directory)).toEqual([]);
  });

  it('does not open before its directory is synced, also if the first sync failed', async () => {
    const opens = files.open;
    let synced = 0;
    const spied = jest.spyOn(files, 'open').mockImplementation(async (path, ...how) => {
      const file = await opens(path, ...how);
      if (path !== dirname(directory)) return file;
      const sync = file.sync.bind(file);
      file.sync = () => {
        synced += 1;
        return synced > 1 ? sync() : Promise.reject(new Error('injected'));
      };
      return file;
    });
    await expect(open()).rejects.toThrow('injected');
    await open();
    spied.mockRestore();
    expect(synced).toBe(2);
  });

  it('ignores ids that it did not assign', async () => {
    const store = await open();
    await receiveOne(store, 'one');
    for (const id of ['../secret', '__proto__', 'VbbKwy6FPOEZlnwcPt', '']) {
      expect(await store.get(id)).toBeUndefined();
      expect(await store.raw(id)).toBeUndefined();
      expect(await store.remove(id)).toBe(false);
    }
  });

  it('lists the newest first, also within one millisecond and after a restart', async () => {
    const store = await open();
    for (let n = 0; n < 20; n += 1) await receiveOne(store, `mail ${n}`);
    const subjects = store.list().map(({ subject }) => subject);
    expect(subjects).toEqual(Array.from({ length: 20 }, (_, n) => `mail ${19 - n}`));
    expect(store.list(3).map(({ subject }) => subject)).toEqual(subjects.slice(0, 3));
    await store.close();
    expect((await open()).list()).toEqual(store.list());
  });

  it('keeps and lists first what came last, also if the clock was set back and the process restarted', async () => {
    const before = await open();
    await receiveOne(before, 'early');
    await before.close();
    now -= 3_600_000;
    const after = await open();
    await receiveOne(after, 'late');
    await after.close();
    expect((await open()).list().map(({ subject }) => subject)).toEqual(['late', 'early']);
    expect((await open(1)).list().map(({ subject }) => subject)).toEqual(['late']);
  });

  it('summarises a mail and returns it as received, small or large', async () => {
    const store = await open();
    const mail = mailOf('=?utf-8?B?w7xiZXI=?=', 'x'.repeat(500_000));
    const { id } = await store.receive(envelope, chunks(mail.slice(0, 30), mail.slice(30)), MB);
    const expected = {
      id,
      from: 'sam@example.com',
      from_name: 'Sam Sender',
      to: envelope.to,
      subject: 'über',
      received_at: '2026-01-01T00:00:00.000Z',
      size: mail.length,
    };
    for (const each of [store, await open()]) {
      expect(each.list()).toEqual([expected]);
      const raw = await each.raw(id);
      expect(raw?.size).toBe(mail.length);
      expect(await text(raw!.stream)).toBe(mail);
      expect(await each.get(id)).toMatchObject({ subject: 'über', envelope, text: expect.stringContaining('xxx') });
    }
  });

  it('parses a mail once for all who ask for it at the same time', async () => {
    const store = await open();
    const { id } = await receiveOne(store, 'Hello');
    const [first, second] = await Promise.all([store.mime(id), store.mime(id)]);
    expect(first).toMatchObject({ subject: 'Hello' });
    expect(second).toBe(first);
  });

  it('ignores and removes what a crash left incomplete, but no foreign files', async () => {
    const store = await open();
    const [whole, torn] = [await receiveOne(store, 'whole'), await receiveOne(store, 'torn')];
    await store.close();
    await truncate(join(directory, `${torn.id}.eml`), 10);
    await writeFile(join(directory, '0b6f3c1e-5f0a-4b62-9a3e-0c8f4a1d2e3f.part'), 'half');
    await writeFile(join(directory, 'VbbKwy6FPOEZlnwcPt.eml'), '');
    await writeFile(join(directory, 'notes.txt'), 'mine');
    const again = await open();
    expect(again.list().map(({ id }) => id)).toEqual([whole.id]);
    await again.close();
    expect((await readdir(directory)).sort()).toEqual([`${whole.id}.eml`, 'notes.txt'].sort());
  });

  it(`keeps the newest ${MAX_MAILS} mails`, async () => {
    const store = await open();
    await Promise.all(Array.from({ length: MAX_MAILS }, (_, n) => receiveOne(store, `old ${n}`)));
    for (let n = 0; n < 5; n += 1) await receiveOne(store, `new ${n}`);
    const list = store.list();
    expect(list).toHaveLength(MAX_MAILS);
    expect(list.slice(0, 5).map(({ subject }) => subject)).toEqual(['new 4', 'new 3', 'new 2', 'new 1', 'new 0']);
    await store.close();
    expect(await readdir(directory)).toHaveLength(MAX_MAILS);
    expect((await open()).list()).toEqual(list);
  });

  it('keeps fewer mails if opened with a lower limit', async () => {
    const store = await open();
    for (let n = 0; n < 6; n += 1) await receiveOne(store, `mail ${n}`);
    await store.close();
    const small = await open(2);
    expect(small.list().map(({ subject }) => subject)).toEqual(['mail 5', 'mail 4']);
    await small.close();
    expect(await readdir(directory)).toHaveLength(2);
  });

  it('keeps the newest mails up to a total size, always the newest one, also after a restart', async () => {
    const large = (n: number) => store.receive(envelope, chunks(mailOf(`mail ${n}`, 'x'.repeat(300_000))), MB);
    const store = await open(undefined, MB);
    for (let n = 0; n < 6; n += 1) await large(n);
    expect(store.list()).toHaveLength(3);
    await store.close();
    for (const [bytes, kept] of [
      [MB, 3],
      [700_000, 2],
      [1, 1],
    ]) {
      const again = await open(undefined, bytes);
      expect(again.list().map(({ subject }) => subject)).toEqual(['mail 5', 'mail 4', 'mail 3'].slice(0, kept));
      await again.close();
      expect(await readdir(directory)).toHaveLength(kept!);
    }
  });

  it('removes one mail, and clears all, from disk too', async () => {
    const store = await open();
    const [first, second] = [await receiveOne(store, 'first'), await receiveOne(store, 'second')];
    await store.get(first.id);
    expect(await store.remove(first.id)).toBe(true);
    expect(store.list().map(({ id }) => id)).toEqual([second.id]);
    expect(await store.get(first.id)).toBeUndefined();
    expect(await readdir(directory)).toEqual([`${second.id}.eml`]);
    await store.clear();
    expect(store.list()).toEqual([]);
    expect(await readdir(directory)).toEqual([]);
  });

  it('has a new version after every change, and keeps it in between', async () => {
    const store = await open();
    const versions = [store.version()];
    const { id } = await receiveOne(store, 'one');
    versions.push(store.version());
    expect(store.version()).toBe(versions.at(-1));
    await store.remove(id);
    versions.push(store.version(), (await open()).version());
    expect(new Set(versions).size).toBe(4);
  });

  it('lists a mail that cannot be parsed by its envelope', async () => {
    const store = await open();
    const { id } = await store.receive({ from: '', to: ['a@example.com'] }, chunks(Buffer.from([0, 255, 10, 0])), MB);
    expect(store.list()[0]).toMatchObject({ from: '', subject: '', to: ['a@example.com'], size: 4 });
    expect(await store.get(id)).toMatchObject({ id, from: null, to: [], html: null, attachments: [] });
  });
});
