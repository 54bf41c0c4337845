import { freePort } from '../installations/free.port.mjs';
import { installedWithSink } from '../installations/installed';
import { API_KEY, waitFor } from '../installations/lettermill';
import { lettermillCommand } from './command.line';

interface Listed {
  message_id: string;
  state: string;
}

describe('messages on the command line', () => {
  const { lettermill } = installedWithSink({ RATE_LIMIT: '0', RETRY_DELAYS: '3600,3600,3600' });
  const environment = () => ({ GATEWAY_URL: lettermill.url, LETTERMILL_API_KEY: API_KEY });
  const command = (...args: string[]) => lettermillCommand(environment(), 'messages', ...args);
  const listMessages = async (...args: string[]) =>
    JSON.parse((await command('list', '--json', ...args)).out) as Listed[];

  async function sendDeferred(campaign: string, ...to: string[]): Promise<string[]> {
    const { body } = await lettermill.send({ campaign, to });
    const ids = body.messages.map(({ message_id }) => message_id);
    await Promise.all(ids.map((id) => lettermill.until(id, 'deferred')));
    return ids;
  }

  beforeAll(async () => {
    for (const slug of ['order', 'sale', 'code']) await lettermill.launch(slug);
  });

  it('cancels the waiting messages of one campaign, and no others', async () => {
    const sale = Array.from({ length: 120 }, (_, i) => `full-${i}@example.com`);
    await sendDeferred('sale', ...sale.slice(0, 60));
    await sendDeferred('sale', ...sale.slice(60));
    const [order] = await sendDeferred('order', 'full-order@example.com');
    const asked = await command('cancel', '--all', '--campaign', 'sale', '--state', 'deferred');
    expect(asked).toMatchObject({ code: 2, out: '' });
    expect(asked.err).toContain('120 messages (campaign sale, state deferred) are to be cancelled.');
    expect(await listMessages('--campaign', 'sale', '--state', 'cancelled')).toEqual([]);
    const done = await command('cancel', '--all', '--campaign', 'sale', '--state', 'queued,deferred', '--yes');
    expect(done).toEqual({ code: 0, out: '120 cancelled\n', err: '' });
    for (const { message_id } of await listMessages('--campaign', 'sale', '--limit', '500'))
      await lettermill.until(message_id, 'cancelled');
    expect(await lettermill.message(order!)).toMatchObject({ body: { state: 'deferred' } });
  });

  it('retries messages by reason, and reports which cannot be retried', async () => {
    const [first] = await sendDeferred('code', 'later2-code@example.com');
    await sendDeferred('code', 'full-code@example.com');
    const { out } = await command('list', '--campaign', 'code', '--reason', 'greylisted');
    expect(out).toMatch(new RegExp(`^MESSAGE .*\n${first!} .* deferred +greylisted +code +later2-code@example.com\n$`));
    for (const attempts of [2, 3]) {
      const again = await command('retry', '--all', '--campaign', 'code', '--reason', 'greylisted', '--yes');
      expect(again).toEqual({ code: 0, out: '1 due again\n', err: '' });
      const attempted = async () => (await lettermill.message(first!)).body.attempts.length === attempts;
      await waitFor(attempted, `attempt ${attempts}`);
    }
    await lettermill.until(first!, 'sent');
    const refused = await command('retry', first!, 'AAAAAAAAAAAAAAAAAA');
    expect(refused).toMatchObject({ code: 3, err: '2 refused.\n' });
    expect(refused.out).toMatch(/^0 due again\n/);
    expect(refused.out).toMatch(new RegExp(`^${first!}: message_not_retryable\\. `, 'm'));
    expect(refused.out).toMatch(/^AAAAAAAAAAAAAAAAAA: not_found\. /m);
  });

  it('shows one message with its attempts, and says when there is none', async () => {
    const [id] = await sendDeferred('code', 'full-shown@example.com');
    const { code, out } = await command('show', id!);
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`^message +${id!}\nstate +deferred\nreason +mailbox_full\\. `));
    expect(out).toMatch(/^1 .* deferred +452 /m);
    const { body } = await lettermill.message(id!);
    expect(JSON.parse((await command('show', id!, '--json')).out)).toEqual(body);
    const unknown = await command('show', 'AAAAAAAAAAAAAAAAAA');
    expect(unknown).toMatchObject({ code: 3, out: '', err: expect.stringMatching(/message/i) as string });
  });

  it('shows the address of a contact by another key, and what became of the copies', async () => {
    const [waits, gone, held] = ['full-copy@example.com', 'refused-copy@example.com', 'held-copy@example.com'];
    expect((await lettermill.call('PUT', `/v2/suppressions/${held}`)).status).toBe(201);
    const { body } = await lettermill.send({
      campaign: 'code',
      to: [{ contact_key: { crm_id: 'C-77' }, email_address: 'c77@example.com' }],
      message: { cc: [waits, gone], bcc: [held] },
    });
    const id = body.messages[0]!.message_id;
    await lettermill.until(id, 'sent');
    const { out } = await command('show', id);
    const facts = [
      /^next try of copies  \d{4}-.*$/m,
      /^contact +crm_id C-77\naddress +c77@example\.com$/m,
      /^copies waiting +full-copy@example\.com$/m,
      /^copy given up +refused-copy@example\.com: mailbox_unknown\. .*550 5\.1\.1 /m,
      /^copy suppressed +held-copy@example\.com: suppressed\. /m,
    ];
    for (const fact of facts) expect(out).toMatch(fact);
  });

  it('reports that there are none', async () => {
    expect(await command('list', '--campaign', 'order', '--state', 'bounced')).toMatchObject({ out: 'No messages.\n' });
    expect(await command('cancel', '--all', '--state', 'bounced')).toEqual({ code: 0, out: '0 cancelled\n', err: '' });
  });

  it('refuses a call without ids or --all, with ids and --all or filters, or with invalid filters', async () => {
    const wrong = [
      'cancel',
      'retry A --all',
      'cancel A --state queued --yes',
      'list --since never',
      'list --state gone',
      'list --state sent,gone',
    ];
    for (const typed of wrong) expect(await command(...typed.split(' '))).toMatchObject({ code: 2, out: '' });
    expect((await command('list', '--state', 'gone')).err).toContain('accepted');
  });

  it('reports what is wrong with its key or address', async () => {
    const listWith = (other: Record<string, string>) =>
      lettermillCommand({ ...environment(), ...other }, 'messages', 'list');
    expect(await listWith({ LETTERMILL_API_KEY: 'k'.repeat(20) })).toMatchObject({
      code: 1,
      err: expect.stringContaining('key'),
    });
    expect(await listWith({ LETTERMILL_API_KEY: 'short' })).toMatchObject({
      code: 78,
      err: expect.stringContaining('LETTERMILL_API_KEY'),
    });
    expect(await listWith({ LETTERMILL_API_KEY: '', DATA_DIR: '/nowhere' })).toMatchObject({ code: 78 });
    const nobody = await listWith({ GATEWAY_URL: `http://127.0.0.1:${await freePort()}` });
    expect(nobody).toMatchObject({ code: 1, err: expect.stringContaining("can't be reached") });
  });
});
