import fc from 'fast-check';
import { readReturnPath, returnPathOf } from './return.path';

const terms = { returnPath: 'bounces.example.com', internalSecret: 's'.repeat(32) };
const id = fc.stringMatching(/^[A-Za-z0-9]{18}$/);
const name = fc.record({ accountId: fc.oneof(fc.constant('default'), id), messageId: id });

describe('the return path of a message', () => {
  it('identifies the message, in any case of its letters, within a local part of 64 octets', () => {
    fc.assert(
      fc.property(name, (message) => {
        const address = returnPathOf(terms, message)!;
        expect(address.indexOf('@')).toBeLessThanOrEqual(64);
        expect(address).toMatch(/^bounce\+[a-z2-7]+@bounces\.example\.com$/);
        expect(readReturnPath(terms, address)).toEqual(message);
        expect(readReturnPath(terms, address.toUpperCase())).toEqual(message);
      }),
    );
  });

  it('counts as forged with any letter changed, and under any other secret', () => {
    fc.assert(
      fc.property(name, fc.nat(), fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz234567189-'), (message, at, letter) => {
        const address = returnPathOf(terms, message)!;
        const place = 'bounce+'.length + (at % (address.indexOf('@') - 'bounce+'.length));
        const changed = address.slice(0, place) + letter + address.slice(place + 1);
        if (changed !== address) expect(readReturnPath(terms, changed)).toBe('forged');
        expect(readReturnPath({ ...terms, internalSecret: 'x'.repeat(32) }, address)).toBe('forged');
      }),
    );
  });

  it('is read with its domain in U-labels or A-labels', () => {
    const message = { accountId: 'default', messageId: 'A'.repeat(18) };
    const idn = { ...terms, returnPath: 'xn--bcher-kva.example' };
    const address = returnPathOf(idn, message)!;
    expect(readReturnPath(idn, address)).toEqual(message);
    expect(readReturnPath(idn, address.replace('xn--bcher-kva', 'bücher'))).toEqual(message);
    expect(readReturnPath(idn, 'bounce+a@bücher.example')).toBe('forged');
  });

  it('under the former secret is read while that is configured, and no longer', () => {
    const message = { accountId: 'default', messageId: 'A'.repeat(18) };
    const now = { returnPath: terms.returnPath, internalSecret: 'n'.repeat(32) };
    const before = returnPathOf(terms, message)!;
    const both = { ...now, formerInternalSecret: terms.internalSecret };
    expect(readReturnPath(both, before)).toEqual(message);
    expect(readReturnPath(both, returnPathOf(both, message)!)).toEqual(message);
    expect(returnPathOf(both, message)).toBe(returnPathOf(now, message));
    expect(readReturnPath({ ...now, formerInternalSecret: null }, before)).toBe('forged');
    const ofNeither = returnPathOf({ ...now, internalSecret: 'x'.repeat(32) }, message)!;
    expect(readReturnPath(both, ofNeither)).toBe('forged');
  });

  it.each([
    'bounce+@bounces.example.com',
    'bounce+a@bounces.example.com',
    `bounce+${'a'.repeat(300)}@bounces.example.com`,
  ])('counts as forged: %s', (address) => {
    expect(readReturnPath(terms, address)).toBe('forged');
  });

  it.each(['shop@bounces.example.com', 'bounce+abc@example.com', 'bounces.example.com', '', '@'])(
    'is not «%s»',
    (address) => {
      expect(readReturnPath(terms, address)).toBeNull();
    },
  );

  it('does not exist when none is configured, or when the ids do not fit', () => {
    const message = { accountId: 'default', messageId: 'A'.repeat(18) };
    expect(returnPathOf({ ...terms, returnPath: null }, message)).toBeNull();
    expect(readReturnPath({ ...terms, returnPath: null }, returnPathOf(terms, message)!)).toBeNull();
    expect(returnPathOf(terms, { ...message, accountId: 'some other account' })).toBeNull();
    expect(returnPathOf(terms, { ...message, messageId: 'short' })).toBeNull();
  });
});
