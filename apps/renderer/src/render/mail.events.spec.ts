import { versionOf } from '../campaigns/campaigns.store.contract';
import { messageId } from '../testing/renderer.harness';
import { failedEvent, queuedEvent, type Cause, type MailParts } from './mail.events';

const TIME = '2026-01-02T03:05:00.000Z';
const CAUSE = {
  id: 'e/contact',
  key: 'a:email:ada@x.test',
  traceparent: '00-1',
  data: {
    account_id: 'a',
    message_id: messageId(1),
    accepted_at: '2026-01-02T03:04:05.678Z',
    campaign: { id: 'c', slug: 'welcome', version: 1 },
    to: { email: 'ada@x.test' },
  },
} as unknown as Cause;

describe('the event of a mail that is ready', () => {
  const queued = (email: string, parts: Partial<MailParts> = {}) => {
    const { launched } = versionOf({ from: { email } });
    const all = { merged: { headers: [] }, suppressedCopies: [], attachments: [], returnPath: null, ...parts };
    return queuedEvent(CAUSE, launched, all, { subject: 'Hi' }, TIME).data;
  };

  it.each([
    ['shop@x.test', 'x.test'],
    ['"shop@home"@münchen.test', 'xn--mnchen-3ya.test'],
  ])('has a Message-ID with the domain of the sender %s', (email, domain) => {
    expect(queued(email).mail.message_id).toBe(`<${messageId(1)}@${domain}>`);
  });

  it('has the return path of the message as envelope sender, and that of the campaign in the mail', () => {
    const { envelope, mail } = queued('shop@x.test', { returnPath: 'b+1@bounces.x.test' });
    expect([envelope.from, mail.from]).toEqual(['b+1@bounces.x.test', { email: 'shop@x.test' }]);
  });
});

it('each end of a message has an id of its own, so that none is taken for another', () => {
  const failures = (['render_error', 'unsubscribed'] as const).map((code) =>
    failedEvent(CAUSE, { code, detail: 'd' }, TIME),
  );
  expect(failures.map(({ id }) => id)).toEqual(['e/contact/failed', 'e/contact/suppressed']);
  expect(failures.map(({ key }) => key)).toEqual([messageId(1), messageId(1)]);
});
