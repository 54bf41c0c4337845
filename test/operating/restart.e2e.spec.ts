import { cp, rename, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Lettermill, PROFILE, waitFor } from '../installations/lettermill';
import { SmtpSink } from '../installations/smtp.sink';

describe('a process that ends', () => {
  let sink: SmtpSink;
  let lettermill: Lettermill;

  beforeEach(async () => {
    sink = await new SmtpSink().start();
    lettermill = await Lettermill.start({ SMTP_URL: sink.url, RETRY_DELAYS: '1,1,1,1' });
    await lettermill.launch('order');
  });
  afterEach(async () => {
    await lettermill.destroy();
    await sink.stop();
  });

  it('loses no accepted message when it is killed, and repeats only unknown outcomes', async () => {
    const accepted = new Map<string, string>();
    let killed = false;
    const load = Array.from({ length: 5 }, async (_, lane) => {
      for (let i = 0; i < 100 && !killed; i += 1) {
        const address = `kill-${lane}-${i}@example.com`;
        try {
          const { status, body } = await lettermill.send({ campaign: 'order', to: address });
          if (status === 202) accepted.set(body.messages[0]!.message_id, address);
        } catch {
          return;
        }
      }
    });
    await waitFor(() => sink.mails.length >= 50 || undefined, 'the first mails');
    killed = true;
    await lettermill.stop('SIGKILL');
    await Promise.all(load);
    await lettermill.start();
    expect(accepted.size).toBeGreaterThan(50);
    for (const [id, address] of accepted) {
      const { attempts } = await lettermill.until(id, 'sent');
      const copies = sink.mailsTo(address);
      const unknown = attempts.filter(({ outcome }) => outcome === 'unknown').length;
      expect(copies.length).toBeGreaterThanOrEqual(1);
      expect(copies.length).toBeLessThanOrEqual(1 + unknown);
      expect(copies.every(({ raw }) => raw.equals(copies[0]!.raw))).toBe(true);
    }
  }, 180_000);

  it('exits with 0 on SIGTERM, and sends each accepted message once across the restart', async () => {
    const sends = Array.from({ length: 20 }, (_, i) =>
      lettermill.send({ campaign: 'order', to: `drain-${i}@example.com` }),
    );
    const answers = await Promise.all(sends);
    expect(answers.every(({ status }) => status === 202)).toBe(true);
    await lettermill.send({ campaign: 'order', to: 'slow-1@example.com' });
    expect(await lettermill.stop('SIGTERM')).toBe(0);
    await lettermill.start();
    for (const { body } of answers) await lettermill.until(body.messages[0]!.message_id, 'sent');
    for (let i = 0; i < 20; i += 1) expect(sink.mailsTo(`drain-${i}@example.com`)).toHaveLength(1);
  });

  it('exits with 0 even if a client keeps its request open', async () => {
    const slow = connect(lettermill.port, '127.0.0.1');
    slow.on('error', () => undefined);
    slow.write('POST /v2/send/email HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n');
    slow.write('authorization: Bearer e2e-key-of-account-default\r\n\r\n{');
    await pause(200);
    expect(await lettermill.stop('SIGTERM')).toBe(0);
    slow.destroy();
  });

  it('answers a retry with the same Idempotency-Key with the first 202 after it was killed', async () => {
    const call = { campaign: 'order', to: 'idem@example.com' };
    const first = await lettermill.send(call, { 'idempotency-key': 'k-1' });
    await lettermill.stop('SIGKILL');
    await lettermill.start();
    const again = await lettermill.send(call, { 'idempotency-key': 'k-1' });
    expect(again.status).toBe(202);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    await lettermill.until(first.body.messages[0]!.message_id, 'sent');
    expect(sink.mailsTo('idem@example.com')).toHaveLength(1);
  });
});

if (PROFILE === 'embedded') {
  describe('a second process on the same data', () => {
    it('is refused', async () => {
      const lettermill = await Lettermill.start();
      const second = await Lettermill.create({ DATA_DIR: lettermill.dataDir });
      try {
        await expect(second.start()).rejects.toThrow(/in use|lock/i);
      } finally {
        await second.destroy();
        await lettermill.destroy();
      }
    });
  });

  describe('incomplete data', () => {
    it.each(['log', 'lettermill.db'])('is refused, with what to do, if %s is lost', async (lost) => {
      const lettermill = await Lettermill.start();
      try {
        await lettermill.stop();
        await rm(join(lettermill.dataDir, lost), { recursive: true });
        await expect(lettermill.start()).rejects.toThrow(/data_incomplete.*backup/s);
      } finally {
        await lettermill.destroy();
      }
    });
  });

  describe('a log of an older backup', () => {
    it('is refused beside newer stores, which work again with the newer log', async () => {
      const lettermill = await Lettermill.start();
      const [log, now, older] = ['log', 'now', 'older'].map((name) => join(lettermill.dataDir, name)) as [
        string,
        string,
        string,
      ];
      try {
        await lettermill.launch('order');
        await lettermill.stop();
        await cp(log, older, { recursive: true });
        await lettermill.start();
        const { body } = await lettermill.send({ campaign: 'order', to: 'ahead@example.com' });
        await lettermill.until(body.messages[0]!.message_id, 'sent');
        await lettermill.stop();
        await rename(log, now);
        await rename(older, log);
        await expect(lettermill.start()).rejects.toThrow(/store_ahead_of_log/);
        await rm(log, { recursive: true });
        await rename(now, log);
        await lettermill.start();
        expect((await lettermill.send({ campaign: 'order', to: 'ahead@example.com' })).status).toBe(202);
      } finally {
        await lettermill.destroy();
      }
    });
  });

  describe('npm start', () => {
    it('prints the key, the mailbox and a curl command that puts a mail into the mailbox', async () => {
      const lettermill = await Lettermill.create({ BOOTSTRAP_API_KEY: '' });
      try {
        await lettermill.start(['npm', 'start']);
        const curl = /curl -s[\s\S]*?'}?'?\n\n/.exec(lettermill.output)?.[0] ?? '';
        const { execFile } = await import('node:child_process');
        const answer = await new Promise<string>((resolve, reject) =>
          execFile('sh', ['-c', curl], (error, stdout) => (error ? reject(error) : resolve(stdout))),
        );
        expect(JSON.parse(answer)).toMatchObject({ messages: [{ contact_key: { email: 'ada@example.com' } }] });
        const mails = await waitFor(async () => {
          const { data } = (await (await fetch(`${lettermill.url}/mailbox/api/messages`)).json()) as { data: object[] };
          return data.length > 0 ? data : undefined;
        }, 'the mail in the mailbox');
        expect(mails).toMatchObject([{ to: ['ada@example.com'], subject: 'Welcome, Ada' }]);
        expect(await lettermill.stop('SIGTERM')).toBe(0);
        const key = /API key\s+(\S+)/.exec(lettermill.output)![1];
        await lettermill.start(['npm', 'start']);
        expect(lettermill.output).toContain(key);
      } finally {
        await lettermill.destroy();
      }
    });
  });
}
