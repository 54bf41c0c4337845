import { once } from 'node:events';
import { execFile } from 'node:child_process';
import { cp, rename, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installed, installedWithSink } from '../installations/installed';
import { API_KEY, Lettermill, PROFILE, waitFor } from '../installations/lettermill';

describe('a process that ends', () => {
  const { sink, lettermill } = installedWithSink({ RETRY_DELAYS: '1,1,1,1' });
  beforeAll(() => lettermill.launch('order'));

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
    const addresses = ['slow-1@example.com', ...Array.from({ length: 20 }, (_, i) => `drain-${i}@example.com`)];
    const send = (to: string) => lettermill.send({ campaign: 'order', to });
    const [first, ...others] = addresses;
    const slow = await send(first!);
    // The next hop has this mail and has not answered yet.
    await sink.firstMailTo(first!);
    const answers = [slow, ...(await Promise.all(others.map(send)))];
    expect(answers.every(({ status }) => status === 202)).toBe(true);
    expect(await lettermill.stop('SIGTERM')).toBe(0);
    await lettermill.start();
    for (const { body } of answers) await lettermill.until(body.messages[0]!.message_id, 'sent');
    for (const address of addresses) expect(sink.mailsTo(address)).toHaveLength(1);
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

  // The last one, as it leaves nothing that runs.
  it('exits with 0 even if a client keeps its request open', async () => {
    const slow = connect(lettermill.port, '127.0.0.1').on('error', () => undefined);
    const head = ['content-type: application/json', 'content-length: 100', `authorization: Bearer ${API_KEY}`];
    slow.write(['POST /v2/send/email HTTP/1.1', 'host: x', 'expect: 100-continue', ...head, '', ''].join('\r\n'));
    // That it is asked for its body shows that its request has begun.
    expect(String((await once(slow, 'data'))[0])).toMatch(/^HTTP\/1\.1 100 /);
    slow.write('{');
    expect(await lettermill.stop('SIGTERM')).toBe(0);
    slow.destroy();
  });
});

if (PROFILE === 'embedded') {
  describe('the data of a process', () => {
    const lettermill = installed();
    const pathsOf = (...names: string[]) => names.map((name) => join(lettermill.dataDir, name));
    beforeAll(() => lettermill.launch('order'));

    it('are refused to a second process', async () => {
      const second = await Lettermill.create({ DATA_DIR: lettermill.dataDir });
      try {
        await expect(second.start()).rejects.toThrow(/directory_locked.*in use by another process/);
      } finally {
        await second.destroy();
      }
    });

    it('are refused, with what to do, if the log or the stores are lost', async () => {
      await lettermill.stop();
      for (const lost of ['log', 'lettermill.db']) {
        const [path, elsewhere] = pathsOf(lost, 'elsewhere') as [string, string];
        await rename(path, elsewhere);
        await expect(lettermill.start()).rejects.toThrow(/data_incomplete.*backup/s);
        await rm(path, { recursive: true, force: true });
        await rename(elsewhere, path);
      }
      await lettermill.start();
    });

    it('are refused with a log of an older backup beside newer stores, which work again with the newer log', async () => {
      const [log, now, older] = pathsOf('log', 'now', 'older') as [string, string, string];
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
    });
  });

  describe('npm start', () => {
    it('prints the key, the mailbox and a curl command that puts a mail into the mailbox', async () => {
      const lettermill = await Lettermill.create({ BOOTSTRAP_API_KEY: '' });
      try {
        await lettermill.start(['npm', 'start']);
        const curl = /curl -s[\s\S]*?'}?'?\n\n/.exec(lettermill.output)?.[0] ?? '';
        const { stdout: answer } = await promisify(execFile)('sh', ['-c', curl]);
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
