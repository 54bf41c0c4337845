import { mail, RETURNED_MAIL } from '../testing/bounce.parts';
import { ARF } from '../testing/other.mails';
import { readReport } from './report.reader';

const read = (raw: string) => readReport(Buffer.from(raw));

describe('a feedback report', () => {
  it('of type abuse is a complaint', async () => {
    const report = await read(ARF);
    expect(report).toMatchObject({
      kind: 'complaint',
      recipients: [{ address: 'ada@example.org' }],
    });
    expect(report.originalMessageId).toBe('<0000000000000000AB@example.com>');
  });

  it('is read even if a gateway turned its part into application/octet-stream', async () => {
    const told = /Content-Type: message\/feedback-report\r\n\r\n([^]*?)(?=\r\n--)/;
    const part = told.exec(ARF)![1]!;
    const type = 'Content-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\n\r\n';
    const report = await read(ARF.replace(told, `${type}${Buffer.from(part).toString('base64')}`));
    expect(report).toMatchObject({ kind: 'complaint', recipients: [{ address: 'ada@example.org' }] });
  });

  it('is a complaint if a mailbox provider unsubscribes on behalf of the user', async () => {
    const asked = (field: string) => `${field}\r\nFrom: Ada <ada@example.org>\r\nSubject: unsubscribe\r\n\r\n`;
    expect(await read(asked('X-Apple-Unsubscribe: true'))).toMatchObject({
      kind: 'complaint',
      recipients: [{ address: 'ada@example.org' }],
    });
    expect(await read(asked('X-Other: true'))).toMatchObject({ kind: 'none', recipients: [] });
  });

  it('may be only the mail, with its recipient in a field of its own, as Outlook.com sends it', async () => {
    const returned = (...fields: string[]) =>
      mail(
        'From: staff@hotmail.com',
        'To: abuse@example.com',
        'Subject: complaint about message from 192.0.2.1',
        'Content-Type: multipart/mixed; boundary="b1"',
        '',
        '--b1',
        'Content-Type: message/rfc822',
        '',
        ...fields,
        ...RETURNED_MAIL.filter((line) => !line.startsWith('To:')),
        '',
        '--b1--',
        '',
      );
    expect(await read(returned('X-HmXmrOriginalRecipient: ada@example.org'))).toMatchObject({
      kind: 'complaint',
      recipients: [{ address: 'ada@example.org' }],
      originalMessageId: '<0000000000000000AB@example.com>',
    });
    expect((await read(returned('To: ada@example.org'))).kind).toBe('none');
  });

  it('falls back to the recipient of the returned mail if it names none', async () => {
    const report = await read(ARF.replace('Original-Rcpt-To: <ada@example.org>\r\n', ''));
    expect(report).toMatchObject({ kind: 'complaint', recipients: [{ address: 'ada@example.org' }] });
    const redacted = await read(ARF.replace('<ada@example.org>\r\n', 'redacted\r\n'));
    expect(redacted).toMatchObject({ kind: 'complaint', recipients: [{ address: 'ada@example.org' }] });
  });

  it('prefers Delivered-To of the returned mail over its To', async () => {
    const redacted = ARF.replace('<ada@example.org>\r\n', 'redacted\r\n');
    const copy = 'From: Shop <shop@example.com>\r\nDelivered-To: bob@example.org';
    const report = await read(redacted.replace('From: Shop <shop@example.com>', copy));
    expect(report.recipients).toMatchObject([{ address: 'bob@example.org', forwardedFrom: ['ada@example.org'] }]);
  });

  it.each(['not-spam', 'auth-failure', 'dmarc'])('of type %s is no complaint', async (type) => {
    expect((await read(ARF.replace('Feedback-Type: abuse', `Feedback-Type: ${type}`))).kind).toBe('feedback');
  });
});
