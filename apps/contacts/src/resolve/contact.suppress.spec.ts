import { newContact } from './contact';
import type { Resolution } from './contact.resolve';
import { withSuppressions } from './contact.suppress';

const contact = newContact({ accountId: 'a', kind: 'email' }, 'ada@x.org', 'contact00000000001', 1);
const resolution = (known?: typeof contact): Resolution => ({
  contact,
  to: { email: 'ada@x.org' },
  known,
  changed: true,
});
const suppression = (reason: string, address = 'ada@x.org') => ({
  accountId: 'a',
  address,
  reason,
  messageId: 'message00000000001',
  at: 1_700_000_000_000,
});
const suppressedReason = {
  code: 'suppressed' as const,
  detail: 'The recipient unsubscribed with the link in message m at t.',
};

describe('withSuppressions', () => {
  it('ends a message whose address is suppressed', () => {
    const ended = withSuppressions(resolution(), { to: suppression('mailbox_unknown'), copies: [] }, {});
    expect(ended).toMatchObject({ refusal: { reason: { code: 'suppressed' }, address: 'ada@x.org' } });
  });

  it('lets a message go on that was resolved before, whatever is suppressed since', () => {
    const before = resolution(contact);
    expect(withSuppressions(before, { to: suppression('mailbox_unknown'), copies: [] }, {})).toBe(before);
  });

  it('leaves the decision to the campaign if the recipient only unsubscribed', () => {
    const left = withSuppressions(resolution(), { to: suppression('unsubscribed'), copies: [] }, {});
    expect(left).toMatchObject({ unsubscribed: { code: 'suppressed' }, to: { email: 'ada@x.org' } });
    expect(left.refusal).toBeUndefined();
  });

  it('repeats what was said of an unsubscription before, even if the address is suppressed since', () => {
    for (const to of [undefined, suppression('unsubscribed'), suppression('mailbox_unknown')]) {
      const again = withSuppressions(resolution(), { to, copies: [] }, { unsubscribed: suppressedReason });
      expect(again).toMatchObject({ unsubscribed: suppressedReason });
      expect(again.refusal).toBeUndefined();
    }
  });

  it('ends a message of which a record ended before, and tells its contact without the data of the record', () => {
    const refusal = { reason: { code: 'no_address' as const, detail: '' }, address: null };
    const merged = { ...contact, profile: '{"a":1}' };
    const again = withSuppressions(
      { ...resolution(contact), contact: merged },
      { to: undefined, copies: [] },
      { refusal },
    );
    expect(again).toEqual({ contact, refusal, changed: true });
    const failed = { contact: undefined, refusal: { ...refusal, address: 'ada@x.org' } };
    expect(withSuppressions(failed, { to: undefined, copies: [] }, { refusal })).toEqual({
      contact: undefined,
      refusal,
    });
  });

  it('notes suppressed copies, and lets the message go on', () => {
    const copies = [suppression('mailbox_unknown', 'cc@x.org'), suppression('unsubscribed', 'bcc@x.org')];
    expect(withSuppressions(resolution(contact), { to: undefined, copies }, {})).toMatchObject({
      to: { email: 'ada@x.org' },
      suppressedCopies: [
        { address: 'cc@x.org', code: 'suppressed' },
        { address: 'bcc@x.org', code: 'unsubscribed' },
      ],
    });
  });
});
