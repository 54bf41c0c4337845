import { dsn, mail } from '../testing/bounce.parts';
import { NO_REPORTS } from '../testing/other.mails';
import { OTHER_NOTICES } from '../testing/other.notices';
import { readReport } from './report.reader';

const read = (raw: string) => readReport(Buffer.from(raw));
const notice = (subject: string, ...lines: string[]) =>
  mail(
    'Return-Path: <>',
    'From: Mail Delivery System <MAILER-DAEMON@example.net>',
    'To: bounce+token@mail.example.com',
    `Subject: ${subject}`,
    '',
    ...lines,
  );

describe('a report that names no address', () => {
  it.each([
    [
      'soft',
      'Your mail to the following recipients could not be delivered as they take none from you:\n\tada1815',
      false,
    ],
    ['hard, if its words say so', 'Undeliverable. User unknown: ada1815', true],
  ])('is a bounce all the same, %s', async (_, words, hard) => {
    const report = await read(notice('Mail Delivery Problem', words));
    expect(report).toMatchObject({ kind: 'bounce', recipients: [], unnamed: { kind: 'bounce', hard } });
    expect(report.unnamed!.diagnostic).toContain('ada1815');
  });

  it('is none of a refusal while a server still tries', async () => {
    const words = 'The mail to the recipient ada1815 could not be delivered yet. We will keep trying.';
    expect(await read(notice('Delivery delayed', words))).toMatchObject({ kind: 'delayed', recipients: [] });
  });

  it('is believed if its fields name a single recipient by something else', async () => {
    const fields = ['Final-Recipient: x400; /g=ada/', 'Action: failed', 'Status: 5.1.1'];
    const nobody = (raw: string) => raw.replace(/^To: Ada.*$/m, 'To: undisclosed-recipients:;');
    const unnamed = { kind: 'bounce', hard: true, status: '5.1.1', reason: 'mailbox_unknown' };
    expect(await read(nobody(dsn(fields)))).toMatchObject({ kind: 'bounce', recipients: [], unnamed });
    const both = await read(nobody(dsn([...fields, '', ...fields.map((field) => field.replace('1.1', '2.2'))])));
    expect(both).toMatchObject({ kind: 'none', recipients: [] });
    expect(both.unnamed).toBeUndefined();
    const arrived = nobody(dsn(['Final-Recipient: x400; /g=ada/', 'Action: delivered', 'Status: 2.0.0']));
    expect((await read(arrived)).unnamed).toBeUndefined();
  });

  it('is none if its text says nothing about a mail', async () => {
    const lost = await read(notice('Returned mail: see transcript for details', '<<< nothing was collected >>>'));
    expect(lost).toMatchObject({ kind: 'none', recipients: [] });
    const parcel = notice('Delivery failed', 'Your parcel did not reach the recipient.');
    for (const from of ['no-reply@parcels.example', 'Parcel Delivery System <delivery@parcels.example>']) {
      const raw = parcel.replace(/From: .*/, `From: ${from}`).replace('<>', '<delivery@parcels.example>');
      expect(await read(raw)).toMatchObject({ kind: 'none', recipients: [] });
    }
    expect(await read(parcel.replace(/From: .*/, 'From: no-reply@parcels.example'))).toMatchObject({ kind: 'none' });
    expect(await read(parcel.replace(/From: .*/, 'From: Mail Delivery System <x@example.net>'))).toMatchObject({
      kind: 'bounce',
    });
    for (const raw of Object.values({ ...NO_REPORTS, ...OTHER_NOTICES }))
      expect((await read(raw)).unnamed).toBeUndefined();
  });

  it('is not what names one', async () => {
    const report = await read(notice('Mail Delivery Problem', '<ada@example.org>: 550 5.1.1 User unknown'));
    expect(report.unnamed).toBeUndefined();
  });
});
