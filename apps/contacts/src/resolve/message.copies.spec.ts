import type { MessageRequested } from '@lettermill/events';
import { requested } from '../testing/requested';
import { copiesOf } from './message.copies';
import type { MessageToResolve } from './contact.resolve';

const addressesOf = (...emails: string[]) => emails.map((email) => ({ email }));
const copyEmails = (more: Partial<MessageRequested>, shared?: MessageToResolve['shared']) =>
  copiesOf({ data: requested(1, { email: 'ada@x.org' }, more), shared });

describe('copiesOf', () => {
  const campaign_copies = { cc: addressesOf('cc-campaign@x.org'), bcc: addressesOf('bcc-campaign@x.org') };

  it('takes recipient over request over campaign, each list separately and as a whole', () => {
    expect(copyEmails({})).toEqual([]);
    expect(copyEmails({ campaign_copies })).toEqual(['cc-campaign@x.org', 'bcc-campaign@x.org']);
    const shared = { message: { cc: addressesOf('cc-1@x.org', 'cc-2@x.org') } };
    expect(copyEmails({ campaign_copies }, shared)).toEqual(['cc-1@x.org', 'cc-2@x.org', 'bcc-campaign@x.org']);
    expect(copyEmails({}, shared)).toEqual(['cc-1@x.org', 'cc-2@x.org']);
    expect(copyEmails({ message: { bcc: addressesOf('hidden@x.org') } })).toEqual(['hidden@x.org']);
    const message = { cc: addressesOf('own@x.org'), bcc: addressesOf('hidden@x.org') };
    expect(copyEmails({ campaign_copies, message }, shared)).toEqual(['own@x.org', 'hidden@x.org']);
  });

  it('returns no copies if the list is empty at the strongest level', () => {
    expect(copyEmails({ campaign_copies, message: { bcc: [] } }, { message: { cc: [] } })).toEqual([]);
  });

  it('ignores a shared part that is lost or has no copies', () => {
    expect(copyEmails({ campaign_copies, message: { subject: 'Hi' } }, 'lost')).toEqual([
      'cc-campaign@x.org',
      'bcc-campaign@x.org',
    ]);
    expect(copyEmails({}, { profile_data: { cc: ['x@x.org'] } })).toEqual([]);
  });

  it('returns each mailbox once, however it is spelled', () => {
    const message = {
      cc: [{ email: 'Ada@BÜCHER.example', name: 'Ada' }],
      bcc: addressesOf('ada@xn--bcher-kva.example'),
    };
    expect(copyEmails({ message })).toEqual(['ada@xn--bcher-kva.example']);
  });
});
