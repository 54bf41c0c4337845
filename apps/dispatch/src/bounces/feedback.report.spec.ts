import { feedbackKind, originalRecipients, readFeedback } from './feedback.report';

describe('a feedback report', () => {
  it.each(['abuse', 'fraud', 'virus', 'opt-out', 'opt-out-list', 'miscategorized', 'other'])(
    'is a complaint if its type is %s',
    (type) => {
      expect(feedbackKind(readFeedback(`Feedback-Type: ${type.toUpperCase()}\n`)!.type)).toBe('complaint');
    },
  );

  it.each(['not-spam', 'auth-failure', 'dmarc', 'feedback'])('is no complaint if its type is %s', (type) => {
    expect(feedbackKind(readFeedback(`Feedback-Type: ${type}\n`)!.type)).toBe('feedback');
  });

  it('is not recognized without a type', () => {
    expect(readFeedback('Version: 1\n')).toBeUndefined();
  });

  it.each([
    'Original-Rcpt-To: <bob@example.org>',
    'Final-Recipient: rfc822; bob@example.org',
    'Removal-Recipient: bob@example.org',
  ])('names its recipient in: %s', (field) => {
    expect(readFeedback(`Feedback-Type: abuse\n${field}\n`)!.recipients).toEqual(['bob@example.org']);
  });

  it('falls back to the recipients of the original mail, most reliable header first', () => {
    expect(readFeedback('Feedback-Type: abuse\nOriginal-Rcpt-To: redacted\n')!.recipients).toEqual([]);
    const original = [
      ['to', 'Ada <ada@example.org>'],
      ['delivered-to', 'bob@example.org'],
      ['x-original-to', 'ADA@example.org'],
    ] as const;
    expect(originalRecipients(original)).toEqual(['ADA@example.org', 'bob@example.org']);
    expect(originalRecipients([])).toEqual([]);
  });
});
