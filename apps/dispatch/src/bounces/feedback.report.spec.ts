import { isComplaint, readFeedback } from './feedback.report';

const ORIGINAL = [['to', 'Ada <ada@example.org>']] as const;

describe('feedback', () => {
  it.each(['abuse', 'fraud', 'virus', 'opt-out', 'opt-out-list', 'miscategorized', 'other'])(
    'is a complaint: %s',
    (type) => {
      expect(isComplaint(readFeedback(`Feedback-Type: ${type.toUpperCase()}\n`, ORIGINAL)!)).toBe(true);
    },
  );

  it.each(['not-spam', 'auth-failure', 'dmarc', 'feedback'])('is none: %s', (type) => {
    expect(isComplaint(readFeedback(`Feedback-Type: ${type}\n`, ORIGINAL)!)).toBe(false);
  });

  it('is none without a type', () => {
    expect(readFeedback('Version: 1\n', ORIGINAL)).toBeUndefined();
  });

  it.each([
    'Original-Rcpt-To: <bob@example.org>',
    'Final-Recipient: rfc822; bob@example.org',
    'Removal-Recipient: bob@example.org',
  ])('names its recipient: %s', (field) => {
    expect(readFeedback(`Feedback-Type: abuse\n${field}\n`, ORIGINAL)!.recipients).toEqual(['bob@example.org']);
  });

  it('is about whom the mail was written to, where it names nobody', () => {
    expect(readFeedback('Feedback-Type: abuse\n', ORIGINAL)!.recipients).toEqual(['ada@example.org']);
  });
});
