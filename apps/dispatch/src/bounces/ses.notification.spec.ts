import { readReport } from './report.reader';

const mail = { messageId: 'x', commonHeaders: { messageId: '<VCcGn8i9t00hsNvYdD@shop.example>' } };

/** Reads the notification as SNS sends it by mail. */
const reportOf = (notification: object) => {
  const text = JSON.stringify({ ...notification, mail });
  const from =
    'From: AWS Notifications <no-reply@sns.amazonaws.com>\nTo: ops@shop.example\nSubject: AWS Notification Message';
  return readReport(Buffer.from(`${from}\nContent-Type: text/plain\n\n${text}\n`));
};
const kindOf = async (notification: object) => (await reportOf(notification)).kind;
const complaint = (complaintFeedbackType?: string) => ({
  notificationType: 'Complaint',
  complaint: { complaintFeedbackType, complainedRecipients: [{ emailAddress: 'ada@x.org' }] },
});
const bounce = (bounceSubType: string, said: object = {}) => ({
  notificationType: 'Bounce',
  bounce: { bounceType: 'Transient', bounceSubType, bouncedRecipients: [{ emailAddress: 'ada@x.org', ...said }] },
});

describe('an SES notification', () => {
  it('is a complaint unless its type is not-spam', async () => {
    expect(await kindOf(complaint('abuse'))).toBe('complaint');
    expect(await kindOf(complaint())).toBe('complaint');
    expect(await kindOf(complaint('not-spam'))).not.toBe('complaint');
  });

  it.each([
    ['abuse', 'complaint'],
    ['not-spam', 'feedback'],
  ])('of type %s names who complained, and no refusal', async (type, kind) => {
    const nothing = { hard: false, status: null, reason: 'complained', diagnostic: '' };
    expect((await reportOf(complaint(type))).recipients).toEqual([{ address: 'ada@x.org', kind, ...nothing }]);
  });

  it('is a bounce unless it is an automatic reply (transient, General, no diagnostic)', async () => {
    const full = { action: 'failed', status: '4.2.2', diagnosticCode: 'smtp; 452 4.2.2 full' };
    expect(await kindOf(bounce('MailboxFull', full))).toBe('bounce');
    expect(await kindOf(bounce('General', full))).toBe('bounce');
    expect(await kindOf(bounce('MailboxFull'))).toBe('bounce');
    expect(await kindOf(bounce('General'))).not.toBe('bounce');
  });

  it('has a status only if it contains a valid one, whatever is around it', async () => {
    const statusOf = async (status: string) =>
      (await reportOf(bounce('MailboxFull', { status, diagnosticCode: 'smtp; it is full today' }))).recipients[0]!
        .status;
    expect(await statusOf('5.2.2 (full)')).toBe('5.2.2');
    expect(await statusOf('<b>x</b>\r\n')).toBeNull();
  });

  it('is hard if SES calls it permanent without quoting a reply, except for size and content', async () => {
    const permanent = (bounceSubType: string, said: object = {}) => {
      const bouncedRecipients = [{ emailAddress: 'ada@x.org', ...said }];
      return { notificationType: 'Bounce', bounce: { bounceType: 'Permanent', bounceSubType, bouncedRecipients } };
    };
    const recipientsOf = async (notification: object) => (await reportOf(notification)).recipients;
    for (const type of ['General', 'NoEmail', 'Suppressed', 'OnAccountSuppressionList'])
      expect(await recipientsOf(permanent(type))).toMatchObject([{ address: 'ada@x.org', hard: true }]);
    const refused = { status: '5.7.1', diagnosticCode: 'smtp; 550 5.7.1 Spam' };
    expect(await recipientsOf(permanent('General', refused))).toMatchObject([
      { hard: false, reason: 'policy_refused' },
    ]);
    expect(await recipientsOf(permanent('UnsubscribedRecipient'))).toMatchObject([{ hard: false }]);
    expect(await recipientsOf(bounce('MailboxFull'))).toMatchObject([{ hard: false }]);
    expect(await recipientsOf(bounce('ContentRejected'))).toMatchObject([{ hard: false }]);
  });

  it('is a delay while SES still retries', async () => {
    const delayedRecipients = [{ emailAddress: 'ada@x.org', status: '4.2.2', diagnosticCode: 'smtp; 452 4.2.2 full' }];
    const report = await reportOf({ eventType: 'DeliveryDelay', deliveryDelay: { delayedRecipients } });
    expect(report).toMatchObject({ kind: 'delayed', recipients: [{ address: 'ada@x.org', kind: 'delayed' }] });
  });

  it('of a delay or a delivery suppresses nobody, whatever it quotes', async () => {
    const unknown = { emailAddress: 'ada@x.org', status: '5.1.1', diagnosticCode: 'smtp; 550 5.1.1 User unknown' };
    const delay = { eventType: 'DeliveryDelay', deliveryDelay: { delayedRecipients: [unknown] } };
    expect((await reportOf(delay)).recipients).toMatchObject([{ kind: 'delayed', hard: false }]);
    const delivery = { notificationType: 'Delivery', delivery: { recipients: ['ada@x.org'] } };
    expect((await reportOf(delivery)).recipients).toMatchObject([{ kind: 'delivered', hard: false }]);
  });

  it('may also be known by the address that it was sent to', async () => {
    expect((await reportOf(complaint())).returnPaths).toEqual(['ops@shop.example']);
  });
});
