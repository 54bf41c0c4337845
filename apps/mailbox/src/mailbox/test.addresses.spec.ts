import { TestAddresses } from './test.addresses';

describe('test addresses', () => {
  const answers = (address: string, times = 1) => {
    const addresses = new TestAddresses();
    return Array.from({ length: times }, () => addresses.answerTo(address));
  };
  const code = (address: string) => answers(address).map((answer) => (answer === 'slow' ? answer : answer?.code))[0];

  it('answer as their names say, however they are spelt and labelled', () => {
    expect(code('bounced@mailbox.invalid')).toBe(550);
    expect(code('deferred@mailbox.invalid')).toBe(451);
    expect(code('full+a.label+more@mailbox.invalid')).toBe(452);
    expect(code('Bounced@MAILBOX.Invalid')).toBe(550);
    expect(code('slow@mailbox.invalid')).toBe('slow');
  });

  it('are no others', () => {
    for (const address of [
      'bounced@example.com',
      'bounced@sub.mailbox.invalid',
      'bounced@mailbox.invalid.com',
      'rebounced@mailbox.invalid',
      'bounced-@mailbox.invalid',
      'bounced-0@mailbox.invalid',
      'bounced-100@mailbox.invalid',
      'ada@mailbox.invalid',
      'constructor@mailbox.invalid',
      '"bounced"@mailbox.invalid',
      'uncertain@mailbox.invalid',
      'returned@mailbox.invalid',
      'complained@mailbox.invalid',
    ])
      expect([address, answers(address)]).toEqual([address, [undefined]]);
  });

  it('fail as often as they say, then accept a mail, and begin anew', () => {
    const addresses = new TestAddresses();
    const refused = (address: string) => addresses.answerTo(address) !== undefined;
    for (let mail = 0; mail < 2; mail += 1) {
      expect([1, 2, 3].map(() => refused('deferred-2@mailbox.invalid'))).toEqual([true, true, false]);
      expect(addresses.afterAcceptance(['deferred-2@mailbox.invalid']).hidden).toBe(false);
    }
  });

  it('count for themselves', () => {
    const addresses = new TestAddresses();
    expect(addresses.answerTo('deferred-1+a@mailbox.invalid')).toBeDefined();
    expect(addresses.answerTo('deferred-1+b@mailbox.invalid')).toBeDefined();
    expect(addresses.answerTo('Deferred-1+A@mailbox.invalid')).toBeUndefined();
  });

  it('hide that a mail was accepted, even if it has other recipients', () => {
    const addresses = new TestAddresses();
    const recipients = ['ada@example.com', 'uncertain-1@mailbox.invalid'];
    expect(addresses.answerTo('uncertain-1@mailbox.invalid')).toBeUndefined();
    expect([1, 2].map(() => addresses.afterAcceptance(recipients).hidden)).toEqual([true, false]);
    expect(addresses.afterAcceptance(['ada@example.com']).hidden).toBe(false);
  });

  it('have a mail returned, or complain about it, after it was accepted', () => {
    const addresses = new TestAddresses();
    const after = (...recipients: string[]) => addresses.afterAcceptance(recipients);
    const none = { hidden: false, returned: [], complained: [] };
    expect(after('Returned+a@mailbox.invalid', 'ada@example.com', 'complained@mailbox.invalid')).toEqual({
      ...none,
      returned: ['Returned+a@mailbox.invalid'],
      complained: ['complained@mailbox.invalid'],
    });
    const once = 'returned-1@mailbox.invalid';
    expect([1, 2, 3].map(() => after(once).returned)).toEqual([[once], [], [once]]);
    expect(after('returned@example.com')).toEqual(none);
  });

  it('that never accept a mail fail again and again', () => {
    expect(answers('bounced@mailbox.invalid', 200)).not.toContain(undefined);
  });
});
