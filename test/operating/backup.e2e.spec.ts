import { cp, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installedWithSink } from '../installations/installed';

/** Backup and restore as docs/backup.md describes them. */
describe('a backup of the embedded profile', () => {
  const { sink, lettermill } = installedWithSink({ RETRY_DELAYS: '2,2,2,2,2,2,2,2,2,2', RATE_LIMIT: '0' });
  let backup: string;
  beforeAll(async () => {
    backup = await mkdtemp(join(tmpdir(), 'lettermill-backup-'));
    await lettermill.launch('order');
  });
  afterAll(() => rm(backup, { recursive: true, force: true }));

  it('restores messages, ids, campaigns, files and waiting mails', async () => {
    const call = { campaign: 'order', to: [{ contact_key: 'kept@example.com', external_message_id: 'order-1' }] };
    const file = { attachment_type: 'file', file_name: 'a.txt', data: Buffer.from('kept').toString('base64') };
    const sent = (await lettermill.send(call)).body.messages[0]!.message_id;
    await lettermill.until(sent, 'sent');
    const later = { campaign: 'order', to: 'later2-restored@example.com', attachments: [file] };
    const answer = await lettermill.send(later, { 'idempotency-key': 'k-1' });
    expect(answer.status).toBe(202);
    const waiting = answer.body.messages[0]!.message_id;
    await lettermill.until(waiting, 'deferred');
    const launched = await lettermill.call('GET', '/v2/campaigns/order');
    expect(await lettermill.stop('SIGTERM')).toBe(0);

    await cp(lettermill.dataDir, backup, { recursive: true, preserveTimestamps: true });
    await rm(lettermill.dataDir, { recursive: true });
    await cp(backup, lettermill.dataDir, { recursive: true, preserveTimestamps: true });
    expect((await stat(lettermill.dataDir)).isDirectory()).toBe(true);
    await lettermill.start();

    expect((await lettermill.message(sent)).body.state).toBe('sent');
    expect((await lettermill.call('GET', '/v2/campaigns/order')).body).toEqual(launched.body);
    const again = await lettermill.send(call);
    expect([again.status, again.body]).toMatchObject([
      422,
      { errors: [{ code: 'external_message_id_taken', message_id: sent }] },
    ]);
    const replayed = await lettermill.send(later, { 'idempotency-key': 'k-1' });
    expect(replayed.body.messages[0]!.message_id).toBe(waiting);
    await lettermill.until(waiting, 'sent');
    const [mail] = sink.mailsTo('later2-restored@example.com');
    const [attachment] = mail!.mail.attachments;
    expect(Buffer.from(attachment!.content as ArrayBuffer).toString()).toBe('kept');
  }, 180_000);
});
