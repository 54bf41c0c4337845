import { readRefusal, type Told } from './refusal';

const failed = (diagnostic: string, over: Partial<Told> = {}) =>
  readRefusal({ action: 'failed', status: null, diagnostic, words: '', ...over });

describe('a refusal as a report tells it', () => {
  it.each<[string, string, boolean, string]>([
    [
      'no mailbox, for now, until the server gave up',
      '450 4.1.1 <ada@example.org>: Recipient address rejected: User unknown in virtual alias table',
      true,
      'mailbox_unknown',
    ],
    ['a full mailbox, until the server gave up', '452 4.2.2 Mailbox full', false, 'mailbox_full'],
    ['put off, until the server gave up', '450 4.2.0 Greylisted, try again later', false, 'greylisted'],
  ])('is final where nobody tries any more: %s', (_, diagnostic, hard, reason) => {
    expect(failed(diagnostic)).toMatchObject({ hard, reason });
    expect(failed(diagnostic, { action: 'delayed' })).toMatchObject({ hard: false, reason });
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
    'is what the server beyond a gateway said, not the words of the gateway: %s',
    (diagnostic, hard, reason, status) => {
      expect(failed(diagnostic)).toMatchObject({ hard, reason, status });
    },
  );

  it('is of the mailbox where all that is said shows that it answered to the recipient', () => {
    const hardAfter = (context: string) => failed('550 user unknown', { words: '<ada@example.org>', context }).hard;
    expect(hardAfter('<ada@example.org>\nThe error came in reply to RCPT TO command.')).toBe(true);
    expect(hardAfter('<ada@example.org>\nThe error came in reply to end of DATA command.')).toBe(false);
    expect(hardAfter('<ada@example.org>')).toBe(false);
  });

  it('is of the mailbox where Yahoo says it of what it was given, which it looks for when it has the mail', () => {
    const said = (words: string) => failed(`554 delivery error: dd ${words} (in reply to end of DATA command)`);
    expect(said("This user doesn't have a yahoo.com account")).toMatchObject({ hard: true, reason: 'mailbox_unknown' });
    expect(said('Requested mail action aborted: exceeded storage allocation')).toMatchObject({ hard: false });
    expect(said('This account has been disabled or discontinued')).toMatchObject({ hard: false });
  });

  it.each([
    '550 <ada@example.org>... User unknown',
    '550 unknown user <ada@example.org>',
    '550 ada@example.org unknown user account',
  ])('is of the mailbox where it names it: %s', (diagnostic) => {
    expect(failed(diagnostic)).toMatchObject({ hard: true, reason: 'mailbox_unknown' });
    expect(failed('', { words: diagnostic.replace(' <', '\n  <') })).toMatchObject({ hard: true });
  });

  it.each([
    ['__________ Information from ESET NOD32 Antivirus, version 4321 __________'],
    ['This message was checked by an antivirus program.'],
    ['No virus found in this incoming message.'],
  ])('is not what a scanner wrote beneath: %s', (footer) => {
    expect(failed('', { words: `ada@example.org\n  mailbox is full\n\n${footer}\n` }).reason).toBe('mailbox_full');
    expect(failed('', { words: 'It was checked by an antivirus program and a virus was found.' }).reason).toBe(
      'policy_refused',
    );
  });

  it.each(['550 5.1.1 no such user', '550 5.4.1 no such user'])(
    'is of the mailbox where its code says so, wherever it was said: %s',
    (diagnostic) => {
      expect(failed(diagnostic)).toMatchObject({ hard: true, reason: 'mailbox_unknown' });
    },
  );

  it.each<[string, string, object]>([
    ['a code alone', '550 no', { reason: 'refused', hard: false, diagnostic: '550 no' }],
    ['an enhanced code alone', '5.7.1 no', { reason: 'policy_refused', hard: false, status: '5.7.1' }],
    ['more than a word', 'we want no mail of yours', { hard: false, status: null }],
  ])('is taken from its diagnostic, be it %s, not from what else is said', (_, diagnostic, told) => {
    expect(failed(diagnostic, { words: 'User unknown.' })).toMatchObject(told);
  });

  it('is taken from the words where they have all that was said, advice or not', () => {
    const words = (text: string) => failed('', { words: text });
    expect(words('Please check the address: 550 5.1.1 User unknown')).toMatchObject({ hard: true, status: '5.1.1' });
    expect(words('It was refused. The mailbox may be full.')).toMatchObject({ reason: 'refused' });
  });

  it('is of no mailbox and no domain where its status tells of a fault that passes', () => {
    const gaveUp = failed('Host not found: DNS did not answer for two days', { status: '4.4.3' });
    expect(gaveUp).toMatchObject({ hard: false, status: '4.4.3' });
  });

  it('is what the words say, with a code, rather than the status beside them', () => {
    const words = '550 5.7.1 Message refused as spam';
    expect(failed('', { status: '5.1.1', words })).toMatchObject({ hard: false, status: '5.7.1' });
    expect(failed('rejected', { status: '5.0.0', words: '550 5.1.1 User unknown' })).toMatchObject({ hard: true });
  });

  it.each<[string, string, string | null, string]>([
    ['of the status, where the answer has the class alone', '550 5.0.0 no', '5.1.1', '5.1.1'],
    ['of the answer, where the status has the class alone', '550 5.1.1 no', '5.0.0', '5.1.1'],
    ['the class, where there is no other', '550 5.0.0 no', null, '5.0.0'],
    ['the class, where the status has no other', 'no mail of yours is wanted', '5.0.0', '5.0.0'],
  ])('has the code %s', (_, diagnostic, stated, status) => {
    expect(failed(diagnostic, { status: stated }).status).toBe(status);
  });

  it('is told without control characters, in one line', () => {
    expect(failed('550 5.1.1 User\u0000 unknown\u001b[2J\r\n\tby name').diagnostic).toBe(
      '550 5.1.1 User unknown [2J by name',
    );
  });
});
