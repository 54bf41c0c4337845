import { readRefusal, type StatedRefusal } from './refusal';

const readFailed = (diagnostic: string, over: Partial<StatedRefusal> = {}) =>
  readRefusal({ action: 'failed', status: null, diagnostic, words: '', ...over });

describe('a refusal in a report', () => {
  it.each<[string, string, boolean, string]>([
    [
      'mailbox unknown, temporarily',
      '450 4.1.1 <ada@example.org>: Recipient address rejected: User unknown in virtual alias table',
      true,
      'mailbox_unknown',
    ],
    ['mailbox full', '452 4.2.2 Mailbox full', false, 'mailbox_full'],
    ['greylisted', '450 4.2.0 Greylisted, try again later', false, 'greylisted'],
  ])('is final once the server has given up: %s', (_, diagnostic, hard, reason) => {
    expect(readFailed(diagnostic)).toMatchObject({ hard, reason });
    expect(readFailed(diagnostic, { action: 'delayed' })).toMatchObject({ hard: false, reason });
  });

  it('is given up, not refused, if the last answer was a temporary one', () => {
    const said = '451 4.3.0 Local error in processing';
    expect(readFailed(said)).toMatchObject({ hard: false, reason: 'given_up' });
    expect(readFailed(said, { action: 'delayed' }).reason).toBe('refused');
    expect(readFailed('554 5.3.0 Local error in processing').reason).toBe('refused');
  });

  it.each<[string, boolean, string, string | null]>([
    [
      "5.1.0 - Unknown address error 550-'5.7.1 <shop@example.com>... Access denied' (delivery attempts: 0)",
      ...([false, 'policy_refused', '5.7.1'] as const),
    ],
    ["5.1.0 - Unknown address error 550-'5.1.1 User unknown'", ...([true, 'mailbox_unknown', '5.1.1'] as const)],
    ['5.1.0 - Unknown address error 452-"Mailbox full"', ...([false, 'mailbox_full', null] as const)],
    [
      "5.1.2 - Bad destination host 'DNS Hard Error looking up nowhere.example (MX): NXDomain'",
      ...([true, 'domain_unknown', null] as const),
    ],
    // Its words may be about the sender as well.
    ["5.1.0 - Unknown address error 'unknown user'", ...([false, 'mailbox_unknown', null] as const)],
  ])(
    'is classified by what the server behind a gateway said, not by the words of the gateway: %s',
    (diagnostic, hard, reason, status) => {
      expect(readFailed(diagnostic)).toMatchObject({ hard, reason, status });
    },
  );

  it('is hard if the context shows that it was the reply to RCPT TO', () => {
    const hardAfter = (context: string) => readFailed('550 user unknown', { words: '<ada@example.org>', context }).hard;
    expect(hardAfter('<ada@example.org>\nThe error came in reply to RCPT TO command.')).toBe(true);
    expect(hardAfter('<ada@example.org>\nThe error came in reply to end of DATA command.')).toBe(false);
    expect(hardAfter('<ada@example.org>')).toBe(false);
  });

  it('is hard if Yahoo reports an unknown user, even in reply to DATA', () => {
    const said = (words: string) => readFailed(`554 delivery error: dd ${words} (in reply to end of DATA command)`);
    expect(said("This user doesn't have a yahoo.com account")).toMatchObject({ hard: true, reason: 'mailbox_unknown' });
    expect(said('Requested mail action aborted: exceeded storage allocation')).toMatchObject({ hard: false });
    expect(said('This account has been disabled or discontinued')).toMatchObject({ hard: false });
  });

  it.each([
    '552 1 Requested mail action aborted, mailbox not found',
    '554 Rcpt <ada@example.org> does not exist',
    '550 Message was not accepted -- invalid mailbox.  Local mailbox ada@example.org is unavailable: user not found',
  ])('is hard if a provider that looks for mailboxes late does not find one: %s', (diagnostic) => {
    const words = `${diagnostic} (in reply to end of DATA command)`;
    expect(readFailed(diagnostic, { words, context: words })).toMatchObject({ hard: true, reason: 'mailbox_unknown' });
  });

  it.each([
    '550 <ada@example.org>... User unknown',
    '550 unknown user <ada@example.org>',
    '550 ada@example.org unknown user account',
  ])('is hard if the reply names the address: %s', (diagnostic) => {
    expect(readFailed(diagnostic)).toMatchObject({ hard: true, reason: 'mailbox_unknown' });
    expect(readFailed('', { words: diagnostic.replace(' <', '\n  <') })).toMatchObject({ hard: true });
  });

  it.each([
    ['__________ Information from ESET NOD32 Antivirus, version 4321 __________'],
    ['This message was checked by an antivirus program.'],
    ['No virus found in this incoming message.'],
  ])('is not classified by what a scanner added below: %s', (footer) => {
    expect(readFailed('', { words: `ada@example.org\n  mailbox is full\n\n${footer}\n` }).reason).toBe('mailbox_full');
    expect(readFailed('', { words: 'It was checked by an antivirus program and a virus was found.' }).reason).toBe(
      'policy_refused',
    );
  });

  it.each(['550 5.1.1 no such user', '550 5.4.1 no such user'])(
    'is hard if its enhanced code says so: %s',
    (diagnostic) => {
      expect(readFailed(diagnostic)).toMatchObject({ hard: true, reason: 'mailbox_unknown' });
    },
  );

  it.each<[string, string, object]>([
    ['a code alone', '550 no', { reason: 'refused', hard: false, diagnostic: '550 no' }],
    ['an enhanced code alone', '5.7.1 no', { reason: 'policy_refused', hard: false, status: '5.7.1' }],
    ['more than one word', 'we want no mail of yours', { hard: false, status: null }],
  ])('is classified by its diagnostic if that is %s, not by other words', (_, diagnostic, told) => {
    expect(readFailed(diagnostic, { words: 'User unknown.' })).toMatchObject(told);
  });

  it.each<[string, object]>([
    ['550-5.2.1 The account that you tried to reach is disabled.', { reason: 'mailbox_disabled', status: '5.2.1' }],
    ['553 Sender Policy Framework (SPF) fail', { reason: 'policy_refused', status: null }],
  ])('is classified by the reason that Sendmail gives, not by the end of its transcript: %s', (reason, told) => {
    const words = `<ada@example.org>\n    (reason: ${reason})\n\n550 5.1.1 <ada@example.org>... User unknown`;
    expect(readFailed('', { words, context: words })).toMatchObject({ ...told, hard: false });
  });

  it('is classified by the words if there is no diagnostic; advice is ignored', () => {
    const words = (text: string) => readFailed('', { words: text });
    expect(words('Please check the address: 550 5.1.1 User unknown')).toMatchObject({ hard: true, status: '5.1.1' });
    expect(words('It was refused. The mailbox may be full.')).toMatchObject({ reason: 'refused' });
  });

  it('is not hard if its status is a temporary failure', () => {
    const gaveUp = readFailed('Host not found: DNS did not answer for two days', { status: '4.4.3' });
    expect(gaveUp).toMatchObject({ hard: false, status: '4.4.3' });
  });

  it('is classified by the words rather than the status beside them, if they contain a code', () => {
    const words = '550 5.7.1 Message refused as spam';
    expect(readFailed('', { status: '5.1.1', words })).toMatchObject({ hard: false, status: '5.7.1' });
    expect(readFailed('rejected', { status: '5.0.0', words: '550 5.1.1 User unknown' })).toMatchObject({ hard: true });
  });

  it.each<[string, string, string | null, string]>([
    ['that of the status, if the reply has the class only', '550 5.0.0 no', '5.1.1', '5.1.1'],
    ['that of the reply, if the status has the class only', '550 5.1.1 no', '5.0.0', '5.1.1'],
    ['the class, if the reply has no other code', '550 5.0.0 no', null, '5.0.0'],
    ['the class, if the status has no other code', 'no mail of yours is wanted', '5.0.0', '5.0.0'],
  ])('gets as its status code %s', (_, diagnostic, stated, status) => {
    expect(readFailed(diagnostic, { status: stated }).status).toBe(status);
  });

  it('has a diagnostic without control characters, in one line', () => {
    expect(readFailed('550 5.1.1 User\u0000 unknown\u001b[2J\r\n\tby name').diagnostic).toBe(
      '550 5.1.1 User unknown [2J by name',
    );
  });
});
