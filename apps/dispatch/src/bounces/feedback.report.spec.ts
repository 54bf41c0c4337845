import { isComplaint, originalRecipients, readFeedback } from './feedback.report';

describe('feedback', () => {
  it.each(['abuse', 'fraud', 'virus', 'opt-out', 'opt-out-list', 'miscategorized', 'other'])(
    'is a complaint: %s',
    (type) => {
      expect(isComplaint(readFeedback(`Feedback-Type: ${type.toUpperCase()}\n`)!)).toBe(true);
    },
  );

  it.each(['not-spam', 'auth-failure', 'dmarc', 'feedback'])('is none: %s', (type) => {
    expect(isComplaint(readFeedback(`Feedback-Type: ${type}\n`)!)).toBe(false);
  });

  it('is none without a type', () => {
    expect(readFeedback('Version: 1\n')).toBeUndefined();
  });

  it.each([
    'Original-Rcpt-To: <bob@example.org>',
    'Final-Recipient: rfc822; bob@example.org',
    'Removal-Recipient: bob@example.org',
  ])('names its recipient: %s', (field) => {
    expect(readFeedback(`Feedback-Type: abuse\n${field}\n`)!.recipients).toEqual(['bob@example.org']);
  });

  it('is about whom the mail that came back was for, the surest first, where it names nobody', () => {
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
