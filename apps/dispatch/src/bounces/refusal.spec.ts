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

  it('is told without control characters, in one line', () => {
    expect(failed('550 5.1.1 User\u0000 unknown\u001b[2J\r\n\tby name').diagnostic).toBe(
      '550 5.1.1 User unknown [2J by name',
    );
  });
});
