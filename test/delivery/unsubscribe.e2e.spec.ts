import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dsn } from '../../apps/dispatch/src/testing/bounce.parts';
import { installedWithSink } from '../installations/installed';
import { API_KEY, Lettermill, waitFor } from '../installations/lettermill';
import type { ReceivedMail } from '../installations/smtp.sink';

const PUBLIC_URL = 'https://mail.shop.example';

describe('unsubscribe links', () => {
  const { sink, lettermill } = installedWithSink({ PUBLIC_URL, RETURN_PATH: 'bounces.shop.example' });
  beforeAll(async () => {
    await lettermill.launch('news', { unsubscribe: 'one_click' });
    await lettermill.launch('receipt');
  });

  const headerOf = ({ mail }: ReceivedMail, name: string) => mail.headers.find(({ key }) => key === name)?.value;
  const send = async (campaign: string, email: string, headers?: Record<string, string>) => {
    const { body } = await lettermill.send({ campaign, to: { email }, ...(headers && { message: { headers } }) });
    return body.messages[0]!.message_id;
  };
  /** The path of the link in the first mail to an address. */
  const linkPathFor = async (email: string) => {
    await send('news', email);
    const link = headerOf(await sink.firstMailTo(email), 'list-unsubscribe')!;
    expect(link).toMatch(/^<https:\/\/mail\.shop\.example\/unsubscribe\/[A-Za-z0-9_-]+>$/);
    return link.slice(1 + PUBLIC_URL.length, -1);
  };
  const findSuppression = async (email: string) => {
    type Listed = { address: string; reason: string; at: string; unsubscribed_at: string | null };
    const { body } = await lettermill.call<{ data: Listed[] }>('GET', '/v2/suppressions');
    return body.data.find(({ address }) => address === email);
  };

  it('are in mails of campaigns that ask for them, and in no others', async () => {
    await linkPathFor('ada@example.org');
    expect(headerOf(await sink.firstMailTo('ada@example.org'), 'list-unsubscribe-post')).toBe(
      'List-Unsubscribe=One-Click',
    );
    await send('receipt', 'rita@example.org');
    expect(headerOf(await sink.firstMailTo('rita@example.org'), 'list-unsubscribe')).toBeUndefined();
    const own = '<mailto:leave@shop.example>';
    await send('news', 'otto@example.org', { 'list-unsubscribe': own });
    expect(headerOf(await sink.firstMailTo('otto@example.org'), 'list-unsubscribe')).toBe(own);
    expect(headerOf(await sink.firstMailTo('otto@example.org'), 'list-unsubscribe-post')).toBeUndefined();
  });

  it('are available to the templates of such campaigns', async () => {
    const html = '<p>News</p><a href="{{ message.unsubscribe_url }}">Leave</a>';
    const campaign = { subject: 'News', text: undefined, on_missing: 'fail', html };
    await lettermill.launch('shown', { ...campaign, unsubscribe: 'one_click' });
    await send('shown', 'sara@example.org');
    const one = await sink.firstMailTo('sara@example.org');
    const link = headerOf(one, 'list-unsubscribe')!.slice(1, -1);
    expect(one.mail.html).toContain(`<a href="${link}">Leave</a>`);
    expect(one.mail.text).toContain(link);
  });

  it('change nothing when they are opened', async () => {
    const path = await linkPathFor('eve@example.org');
    const page = await fetch(lettermill.url + path);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const seen = await page.text();
    expect(seen).toContain('<form method="post">');
    // It says what the button does, not that it is done.
    expect(seen).toMatch(/<p>Press the button to stop getting mails of this kind.<\/p>/);
    expect((await fetch(lettermill.url + path, { method: 'HEAD' })).status).toBe(200);
    expect(await findSuppression('eve@example.org')).toBeUndefined();
    await lettermill.until(await send('news', 'eve@example.org'), 'sent');
  });

  it('suppress mails of that kind with one click, and no others', async () => {
    const path = await linkPathFor('cora@example.org');
    const body = 'List-Unsubscribe=One-Click';
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    for (const _ of [1, 2]) {
      expect((await fetch(lettermill.url + path, { method: 'POST', headers, body })).status).toBe(200);
    }
    expect(await findSuppression('cora@example.org')).toMatchObject({ reason: 'unsubscribed' });
    const refused = await lettermill.until(await send('news', 'Cora@example.org'), 'suppressed');
    expect(refused.reason).toMatchObject({ code: 'unsubscribed' });
    const found = await lettermill.call<{ data: unknown[] }>('GET', '/v2/messages?reason=unsubscribed');
    expect(found.body.data).toMatchObject([{ message_id: refused.message_id }]);
    await lettermill.until(await send('receipt', 'cora@example.org'), 'sent');
    await lettermill.call('DELETE', '/v2/suppressions/cora@example.org');
    await lettermill.until(await send('news', 'cora@example.org'), 'sent');
  });

  it('unsubscribe for good: lifting a bounce leaves the unsubscription', async () => {
    const email = 'lena@example.org';
    const path = await linkPathFor(email);
    await fetch(lettermill.url + path, { method: 'POST' });
    const left = (await findSuppression(email))!;
    expect(left).toMatchObject({ reason: 'unsubscribed', unsubscribed_at: left.at });
    const report = dsn([`Final-Recipient: rfc822; ${email}`, 'Action: failed', 'Status: 5.1.1']);
    const told = await fetch(`${lettermill.url}/v2/inbound/bounces`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'message/rfc822' },
      body: report.replaceAll('bounce+token@mail.example.com', (await sink.firstMailTo(email)).from),
    });
    expect(told.status).toBe(202);
    const bounced = async () => ((await findSuppression(email))?.reason === 'mailbox_unknown' ? true : undefined);
    await waitFor(bounced, 'the suppression');
    expect(await findSuppression(email)).toMatchObject({ unsubscribed_at: left.at });
    const listed = await lettermill.call<{ data: { address: string }[] }>(
      'GET',
      '/v2/suppressions?reason=mailbox_unknown',
    );
    expect(listed.body.data.map(({ address }) => address)).toEqual([email]);

    const release = () => lettermill.call('DELETE', `/v2/suppressions/${email}`);
    expect(await release()).toMatchObject({ status: 200, body: left });
    expect(await findSuppression(email)).toEqual(left);
    await lettermill.until(await send('receipt', email), 'sent');
    await lettermill.until(await send('news', email), 'suppressed');
    expect((await release()).status).toBe(204);
    expect((await release()).status).toBe(404);
    await lettermill.until(await send('news', email), 'sent');
  });

  it('once followed, prevent a retry of mails that have them, but not of receipts', async () => {
    for (const [campaign, status] of [
      ['receipt', 202],
      ['news', 409],
    ] as const) {
      // The next hop defers the first two attempts, whatever the mail.
      const email = `later2-${campaign}@example.org`;
      const id = await send(campaign, email);
      const tried = (times: number) =>
        waitFor(async () => (await lettermill.until(id, 'deferred')).attempts.length === times, `attempt ${times}`);
      await tried(1);
      await lettermill.call('POST', `/v2/messages/${id}/retry`);
      await tried(2);
      await fetch(lettermill.url + (await linkPathFor(email)), { method: 'POST' });
      expect(await findSuppression(email)).toMatchObject({ reason: 'unsubscribed' });
      const { status: answered, body } = await lettermill.call('POST', `/v2/messages/${id}/retry`);
      expect([answered, body.code]).toEqual([status, status === 409 ? 'address_suppressed' : undefined]);
      if (status === 202) await lettermill.until(id, 'sent');
    }
  });

  it.each<[string, string | undefined]>([
    ['multipart/form-data', 'multipart/form-data; boundary=B'],
    ['a form, in capitals', 'Application/X-WWW-Form-Urlencoded; charset=utf-8'],
    ['text', 'text/plain'],
    ['JSON', 'application/json'],
    ['nothing that is a type', '???'],
    ['no type', undefined],
  ])('are followed by a POST of any content type: %s', async (name, type) => {
    const email = `form-${name.replace(/\W/g, '').toLowerCase()}@example.org`;
    const body = Buffer.from(
      '--B\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--B--\r\n',
    );
    const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
    const answer = await fetch(lettermill.url + (await linkPathFor(email)), { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
    expect(await findSuppression(email)).toMatchObject({ reason: 'unsubscribed' });
  });

  it('do not work with a letter changed, and no other call accepts a form', async () => {
    const path = await linkPathFor('dora@example.org');
    const forged = path.replace(/.$/, (letter) => (letter === 'A' ? 'B' : 'A')).replace(/(\/unsubscribe\/)./, '$1_');
    for (const method of ['GET', 'POST']) expect((await fetch(lettermill.url + forged, { method })).status).toBe(404);
    for (const method of ['GET', 'POST']) {
      const seen = await fetch(lettermill.url + forged, { method, headers: { accept: 'text/html,*/*;q=0.8' } });
      expect([seen.status, seen.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
      expect(await seen.text()).toMatch(/<h1>This link does not work<\/h1>/);
    }
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const sent = await lettermill.call('POST', '/v2/send/email', 'campaign=news&to=dora@example.org', form);
    expect([sent.status, sent.body.code]).toEqual([400, 'content_type_unsupported']);
    expect(await findSuppression('dora@example.org')).toBeUndefined();
  });

  it('refuse a body larger than mail programs send, of whatever type', async () => {
    const path = await linkPathFor('emil@example.org');
    for (const type of ['application/json', 'multipart/form-data; boundary=B', 'text/plain']) {
      const init = { method: 'POST', headers: { 'content-type': type }, body: JSON.stringify('x'.repeat(4096)) };
      expect((await fetch(lettermill.url + path, init)).status).toBe(413);
    }
    expect(await findSuppression('emil@example.org')).toBeUndefined();
  });

  it('are refused at the launch if PUBLIC_URL is not set', async () => {
    const other = await Lettermill.start();
    try {
      const answer = await other.launch('news', { unsubscribe: 'one_click' });
      expect(answer).toMatchObject({
        status: 422,
        body: { errors: [{ pointer: '/unsubscribe', code: 'public_url_missing' }] },
      });
    } finally {
      await other.destroy();
    }
  });

  it('stay valid under a new secret only while the former one is configured', async () => {
    const path = await linkPathFor('nora@example.org');
    await lettermill.stop('SIGTERM');
    const former = (await readFile(join(lettermill.dataDir, 'instance-secret'), 'utf8')).trim();
    const status = async (secrets: Record<string, string>) => {
      const later = await Lettermill.create({
        SMTP_URL: sink.url,
        DATA_DIR: lettermill.dataDir,
        PUBLIC_URL,
        ...secrets,
      });
      await later.start();
      const answer = await fetch(later.url + path);
      await later.stop('SIGTERM');
      return answer.status;
    };
    const INTERNAL_SECRET = 'n'.repeat(40);
    expect(await status({ INTERNAL_SECRET, FORMER_INTERNAL_SECRET: former })).toBe(200);
    expect(await status({ INTERNAL_SECRET })).toBe(404);
    await lettermill.start();
  });
});
