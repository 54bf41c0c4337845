import nodemailer from 'nodemailer';
import { BOUNCES } from '../../apps/dispatch/src/testing/bounce.mails';
import { dsn } from '../../apps/dispatch/src/testing/bounce.parts';
import { ARF, NO_REPORTS } from '../../apps/dispatch/src/testing/other.mails';
import { installedWithSink } from '../installations/installed';
import { API_KEY, Lettermill, waitFor, type Message } from '../installations/lettermill';

const RETURN_PATH = 'bounces.shop.example';
const MAILBOX_UNKNOWN = ['Final-Recipient: rfc822; ada@example.org', 'Action: failed', 'Status: 5.1.1'];

interface Report {
  kind: string;
  message_id: string | null;
  recipient: string | null;
  hard: boolean;
  status: string | null;
  recorded: boolean;
  code?: string;
}

/** The report as a server would send it to this return path. */
const reportTo = (returnPath: string, raw = dsn(MAILBOX_UNKNOWN)) =>
  raw.replaceAll('bounce+token@mail.example.com', returnPath);

describe('POST /v2/inbound/bounces', () => {
  const { sink, lettermill } = installedWithSink({ RETURN_PATH });
  beforeAll(() => lettermill.launch('order'));

  async function postReport(raw: string, type = 'message/rfc822', key = API_KEY) {
    const answer = await fetch(`${lettermill.url}/v2/inbound/bounces`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': type },
      body: raw,
    });
    return { status: answer.status, body: (await answer.json()) as Report };
  }

  /** Sends a message; resolves to its id and its envelope sender. */
  async function sendMail(email: string): Promise<{ id: string; returnPath: string }> {
    const { body } = await lettermill.send({ campaign: 'order', to: { email } });
    const id = body.messages[0]!.message_id;
    await lettermill.until(id, 'sent');
    const mail = await sink.firstMailTo(email);
    return { id, returnPath: mail.from };
  }

  const findSuppression = async (email: string) => {
    const { body } = await lettermill.call<{ data: { address: string; reason: string }[] }>(
      'GET',
      '/v2/suppressions?limit=100',
    );
    return body.data.find(({ address }) => address === email);
  };

  it('bounces a sent message once, and suppresses its address until the suppression is lifted', async () => {
    const { id, returnPath } = await sendMail('ada@example.org');
    expect(returnPath).toMatch(new RegExp(`^bounce\\+[a-z2-7]+@${RETURN_PATH}$`));
    const answer = await postReport(reportTo(returnPath));
    expect(answer).toMatchObject({
      status: 202,
      body: {
        kind: 'bounce',
        message_id: id,
        recipient: 'ada@example.org',
        hard: true,
        status: '5.1.1',
        recorded: true,
      },
    });
    const message = await lettermill.until(id, 'bounced');
    expect(message.reason).toMatchObject({ code: 'mailbox_unknown' });
    expect((await postReport(reportTo(returnPath))).status).toBe(202);
    await waitFor(() => findSuppression('ada@example.org'), 'the suppression');
    const { body } = await lettermill.message(id);
    expect(body.timeline.filter(({ type }) => type === 'bounced')).toEqual([
      expect.objectContaining({ asynchronous: true, address: 'ada@example.org', code: 'mailbox_unknown' }),
    ]);
    expect(body.attempts.map(({ outcome }) => outcome)).toEqual(['sent']);

    const { body: ack } = await lettermill.send({ campaign: 'order', to: { email: 'Ada@example.org' } });
    const refused = await lettermill.until(ack.messages[0]!.message_id, 'suppressed');
    expect(refused.reason).toMatchObject({ code: 'suppressed', detail: expect.stringContaining(id) as string });
    expect((await lettermill.call('DELETE', '/v2/suppressions/ada@example.org')).status).toBe(204);
    await postReport(reportTo(returnPath));
    await sendMail('ADA@example.org');
    expect(await findSuppression('ada@example.org')).toBeUndefined();
    // Sent mails are not kept: there is nothing to retry, and the refusal says so.
    expect(await lettermill.call('POST', `/v2/messages/${id}/retry`)).toMatchObject({
      status: 410,
      body: { code: 'message_content_gone', detail: expect.stringContaining('bounced') as string },
    });
  });

  const mailboxFullReport = (email: string) =>
    dsn([`Final-Recipient: rfc822; ${email}`, 'Action: failed', 'Status: 5.2.2']);

  it('records a bounce that arrives during the attempt once the attempt has ended', async () => {
    const email = 'slow-1@example.org';
    const { body } = await lettermill.send({ campaign: 'order', to: { email } });
    const { from } = await sink.firstMailTo(email);
    const answer = await waitFor(async () => {
      const told = await postReport(reportTo(from, mailboxFullReport(email)));
      return told.status === 503 ? undefined : told;
    }, 'the end of the attempt');
    expect(answer).toMatchObject({ status: 202, body: { recorded: true } });
    const { attempts } = await lettermill.until(body.messages[0]!.message_id, 'bounced');
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['sent']);
  });

  it.each(['retry', 'hold'])('bounces an uncertain message, which is not sent again (%s)', async (on_uncertain) => {
    await lettermill.launch(on_uncertain, { on_uncertain });
    const email = `cutdot-${on_uncertain}@example.org`;
    const { body } = await lettermill.send({ campaign: on_uncertain, to: { email } });
    const id = body.messages[0]!.message_id;
    await lettermill.until(id, 'uncertain');
    const { from } = await sink.firstMailTo(email);
    for (const status of [202, 200])
      expect((await postReport(reportTo(from, mailboxFullReport(email)))).status).toBe(status);
    expect(await lettermill.until(id, 'bounced')).toMatchObject({
      reason: { code: 'mailbox_full' },
      next_attempt_at: null,
      attempts: [{ outcome: 'unknown' }],
    });
    const order = (what: string) => lettermill.call('POST', `/v2/messages/${id}/${what}`);
    expect(await order('cancel')).toMatchObject({ status: 409, body: { code: 'message_not_cancellable' } });
    expect(await order('retry')).toMatchObject({ status: 410, body: { code: 'message_content_gone' } });
    expect((await lettermill.message(id)).body.timeline.filter(({ type }) => type === 'bounced')).toHaveLength(1);
  });

  it('bounces a deferred message that an earlier attempt may have delivered', async () => {
    const email = 'dotgrey-1@example.org';
    const { body } = await lettermill.send({ campaign: 'order', to: { email } });
    const id = body.messages[0]!.message_id;
    await lettermill.until(id, 'uncertain');
    expect((await lettermill.call('POST', `/v2/messages/${id}/retry`)).status).toBe(202);
    const tried = async () => (await lettermill.message(id)).body.attempts.length === 2 || undefined;
    await waitFor(tried, 'the second attempt');
    await lettermill.until(id, 'deferred');
    const { from } = await sink.firstMailTo(email);
    for (const status of [202, 200])
      expect((await postReport(reportTo(from, mailboxFullReport(email)))).status).toBe(status);
    expect(await lettermill.until(id, 'bounced')).toMatchObject({
      reason: { code: 'mailbox_full' },
      next_attempt_at: null,
      attempts: [{ outcome: 'unknown' }, { outcome: 'deferred' }],
    });
    const again = await lettermill.call('POST', `/v2/messages/${id}/retry`);
    expect(again).toMatchObject({ status: 410, body: { code: 'message_content_gone' } });
  });

  it('suppresses the address even if the message was cancelled while uncertain', async () => {
    const email = 'cutdot-gone@example.org';
    const { body } = await lettermill.send({ campaign: 'order', to: { email } });
    const id = body.messages[0]!.message_id;
    await lettermill.until(id, 'uncertain');
    expect((await lettermill.call('POST', `/v2/messages/${id}/cancel`)).status).toBe(200);
    const gone = dsn([`Final-Recipient: rfc822; ${email}`, 'Action: failed', 'Status: 5.1.1']);
    expect((await postReport(reportTo((await sink.firstMailTo(email)).from, gone))).status).toBe(202);
    expect(await waitFor(() => findSuppression(email), 'the suppression')).toMatchObject({ reason: 'mailbox_unknown' });
    expect(await lettermill.until(id, 'cancelled')).toMatchObject({ reason: { code: 'cancelled' } });
  });

  it('finds the message by its Message-ID if the return path is lost', async () => {
    const { id } = await sendMail('bob@example.org');
    const raw = dsn(['Final-Recipient: rfc822; bob@example.org', 'Action: failed', 'Status: 5.2.2'])
      .replaceAll('bounce+token@mail.example.com', 'shop@shop.example')
      .replace('<0000000000000000AB@example.com>', `<${id}@shop.example>`);
    expect(await postReport(raw, 'text/plain')).toMatchObject({ status: 202, body: { message_id: id, hard: false } });
    await lettermill.until(id, 'bounced');
    expect(await findSuppression('bob@example.org')).toBeUndefined();
  });

  it('finds the copy that a refused mail was forwarded from', async () => {
    const { body } = await lettermill.send({
      campaign: 'order',
      to: { email: 'dora@example.org' },
      message: { cc: ['cc@example.org'] },
    });
    const id = body.messages[0]!.message_id;
    await lettermill.until(id, 'sent');
    const { from } = await sink.firstMailTo('dora@example.org');
    const forwarded = (original: string) =>
      dsn([original, 'Final-Recipient: rfc822; new@example.net', 'Action: failed', 'Status: 5.1.1']);
    expect(await postReport(reportTo(from, forwarded('Original-Recipient: rfc822;eve@example.org')))).toMatchObject({
      status: 200,
      body: { message_id: id, recorded: false },
    });
    expect(await postReport(reportTo(from, forwarded('Original-Recipient: rfc822;cc@example.org')))).toMatchObject({
      status: 202,
      body: { message_id: id, recipient: 'cc@example.org', recorded: true },
    });
    await waitFor(() => findSuppression('cc@example.org'), 'the suppression of the copy');
    expect((await lettermill.message(id)).body.state).toBe('sent');
  });

  it('refuses a forged return path, whatever else the mail says', async () => {
    const { id, returnPath } = await sendMail('eve@example.org');
    const forged = returnPath.replace(/.(?=@)/, (letter) => (letter === 'a' ? 'b' : 'a'));
    const raw = reportTo(forged).replace('<0000000000000000AB@example.com>', `<${id}@shop.example>`);
    expect(await postReport(raw)).toMatchObject({ status: 422, body: { code: 'return_path_forged' } });
    expect((await lettermill.message(id)).body.state).toBe('sent');
  });

  it('records a complaint without changing the state, and suppresses the address', async () => {
    const { id } = await sendMail('cora@example.org');
    const raw = ARF.replaceAll('ada@example.org', 'cora@example.org').replace(
      '<0000000000000000AB@example.com>',
      `<${id}@shop.example>`,
    );
    expect(await postReport(raw)).toMatchObject({
      status: 202,
      body: { kind: 'complaint', message_id: id, recipient: 'cora@example.org' },
    });
    expect(await waitFor(() => findSuppression('cora@example.org'), 'the suppression')).toMatchObject({
      reason: 'complained',
    });
    const message = await waitFor(async (): Promise<Message | undefined> => {
      const { body } = await lettermill.message(id);
      return body.timeline.some(({ type }) => type === 'complained') ? body : undefined;
    }, 'the complaint');
    expect(message.state).toBe('sent');
  });

  it('reports what it understood of mails that change nothing', async () => {
    expect(await postReport(NO_REPORTS['a letter']!)).toMatchObject({
      status: 200,
      body: { kind: 'none', recorded: false },
    });
    const unknown = BOUNCES.find(({ name }) => name === 'qmail')!;
    expect(await postReport(unknown.raw)).toMatchObject({
      status: 200,
      body: { kind: 'bounce', message_id: null, recipient: 'ada@example.org', recorded: false },
    });
    const { returnPath } = await sendMail('dora@example.org');
    const delayed = reportTo(
      returnPath,
      dsn(['Final-Recipient: rfc822; dora@example.org', 'Action: delayed', 'Status: 4.4.1']),
    );
    expect(await postReport(delayed)).toMatchObject({ status: 200, body: { kind: 'delayed', recorded: false } });
  });

  it('accepts nothing but mails, with a key', async () => {
    expect((await postReport('x', 'message/rfc822', 'no such key of any account')).status).toBe(401);
    for (const type of ['application/json', 'image/png', 'multipart/form-data; boundary=x']) {
      expect(await postReport('{}', type)).toMatchObject({
        status: 400,
        body: { detail: expect.stringContaining('rfc822') },
      });
    }
    expect((await postReport('', 'message/rfc822')).status).toBe(400);
    const other = await fetch(`${lettermill.url}/v2/send/email`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'message/rfc822' },
      body: 'x',
    });
    expect(other.status).toBe(400);
  });
});

describe('the built-in mailbox', () => {
  let lettermill: Lettermill;
  beforeAll(async () => {
    lettermill = await Lettermill.start({ RETURN_PATH });
    await lettermill.launch('order');
  });
  afterAll(() => lettermill.destroy());

  it('accepts bounces to the return path, and refuses forged ones', async () => {
    const { body } = await lettermill.send({ campaign: 'order', to: { email: 'ada@example.org' } });
    const id = body.messages[0]!.message_id;
    await lettermill.until(id, 'sent');
    const page = await (await fetch(`${lettermill.url}/mailbox`)).text();
    const port = Number(/127\.0\.0\.1:(\d+)/.exec(page)![1]);
    const mails = await lettermill.call<{ data: { id: string }[] }>('GET', '/mailbox/api/messages');
    const mail = await lettermill.call<{ envelope: { from: string } }>(
      'GET',
      `/mailbox/api/messages/${mails.body.data[0]!.id}`,
    );
    const { from } = mail.body.envelope;
    const smtp = nodemailer.createTransport({ host: '127.0.0.1', port, secure: false, ignoreTLS: true });
    const raw = reportTo(from);
    const forged = from.replace(/.(?=@)/, (letter) => (letter === 'a' ? 'b' : 'a'));
    await expect(smtp.sendMail({ envelope: { from: '', to: forged }, raw })).rejects.toMatchObject({
      responseCode: 550,
    });
    await smtp.sendMail({ envelope: { from: '', to: from }, raw });
    smtp.close();
    expect(await lettermill.until(id, 'bounced')).toMatchObject({ reason: { code: 'mailbox_unknown' } });
  });
});
