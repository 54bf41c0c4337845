import type { MessageRequested } from '@lettermill/events';
import { requested } from '../testing/requested';
import { copiesOf } from './message.copies';
import type { Asked } from './contact.resolve';

const to = (...emails: string[]) => emails.map((email) => ({ email }));
const of = (more: Partial<MessageRequested>, shared?: Asked['shared']) =>
  copiesOf({ data: requested(1, { email: 'ada@x.org' }, more), shared });

describe('copiesOf', () => {
  const campaign_copies = { cc: to('cc-campaign@x.org'), bcc: to('bcc-campaign@x.org') };

  it('takes recipient over request over campaign, each list separately and as a whole', () => {
    expect(of({})).toEqual([]);
    expect(of({ campaign_copies })).toEqual(['cc-campaign@x.org', 'bcc-campaign@x.org']);
    const shared = { message: { cc: to('cc-1@x.org', 'cc-2@x.org') } };
    expect(of({ campaign_copies }, shared)).toEqual(['cc-1@x.org', 'cc-2@x.org', 'bcc-campaign@x.org']);
    expect(of({}, shared)).toEqual(['cc-1@x.org', 'cc-2@x.org']);
    const message = { cc: to('own@x.org'), bcc: to('hidden@x.org') };
    expect(of({ campaign_copies, message }, shared)).toEqual(['own@x.org', 'hidden@x.org']);
  });

  it('returns no copies if the list is empty at the strongest level', () => {
    expect(of({ campaign_copies, message: { bcc: [] } }, { message: { cc: [] } })).toEqual([]);
  });

  it('ignores a shared part that is lost or has no copies', () => {
    expect(of({ campaign_copies, message: { subject: 'Hi' } }, 'lost')).toEqual([
      'cc-campaign@x.org',
      'bcc-campaign@x.org',
    ]);
    expect(of({}, { profile_data: { cc: ['x@x.org'] } })).toEqual([]);
  });

  it('returns each mailbox once, however it is spelled', () => {
    const message = { cc: [{ email: 'Ada@BÜCHER.example', name: 'Ada' }], bcc: to('ada@xn--bcher-kva.example') };
    expect(of({ message })).toEqual(['ada@xn--bcher-kva.example']);
  });
});
