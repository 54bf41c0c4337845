import { readReport } from './report.reader';

const mail = { messageId: 'x', commonHeaders: { messageId: '<VCcGn8i9t00hsNvYdD@shop.example>' } };

/** As SNS sends it by mail. */
const kindOf = async (notification: object) => {
  const text = JSON.stringify({ ...notification, mail });
  const from =
    'From: AWS Notifications <no-reply@sns.amazonaws.com>\nTo: ops@shop.example\nSubject: AWS Notification Message';
  const { kind } = await readReport(Buffer.from(`${from}\nContent-Type: text/plain\n\n${text}\n`));
  return kind;
};
const complaint = (complaintFeedbackType?: string) => ({
  notificationType: 'Complaint',
  complaint: { complaintFeedbackType, complainedRecipients: [{ emailAddress: 'ada@x.org' }] },
});
const bounce = (bounceSubType: string, said: object = {}) => ({
  notificationType: 'Bounce',
  bounce: { bounceType: 'Transient', bounceSubType, bouncedRecipients: [{ emailAddress: 'ada@x.org', ...said }] },
});

describe('a notification of SES', () => {
  it('is a complaint, unless it says that the mail is no spam', async () => {
    expect(await kindOf(complaint('abuse'))).toBe('complaint');
    expect(await kindOf(complaint())).toBe('complaint');
    expect(await kindOf(complaint('not-spam'))).not.toBe('complaint');
  });

  it('is a bounce, unless it tells of an answer by itself: who is away has the mail', async () => {
    const full = { action: 'failed', status: '4.2.2', diagnosticCode: 'smtp; 452 4.2.2 full' };
    expect(await kindOf(bounce('MailboxFull', full))).toBe('bounce');
    expect(await kindOf(bounce('General', full))).toBe('bounce');
    expect(await kindOf(bounce('MailboxFull'))).toBe('bounce');
    expect(await kindOf(bounce('General'))).not.toBe('bounce');
  });
});
