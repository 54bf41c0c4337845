import fc from 'fast-check';
import { readUnsubscribeToken, unsubscribeToken } from './unsubscribe.token';

const SECRET = 's'.repeat(32);
const tokenContents = fc.record({ accountId: fc.string(), messageId: fc.string(), address: fc.emailAddress() });

describe('the token of an unsubscribe link', () => {
  it('identifies the recipient, is the same for the same mail, and hides the address', () => {
    fc.assert(
      fc.property(tokenContents, (one) => {
        const token = unsubscribeToken(SECRET, one);
        expect(readUnsubscribeToken(SECRET, token)).toEqual(one);
        expect(unsubscribeToken(SECRET, one)).toBe(token);
        expect(Buffer.from(token, 'base64url').includes(one.address)).toBe(false);
      }),
    );
  });

  it('is invalid with any letter changed, cut or added, and under another secret', () => {
    fc.assert(
      fc.property(tokenContents, fc.nat(), (one, at) => {
        const token = unsubscribeToken(SECRET, one);
        const place = at % token.length;
        const changed = token.slice(0, place) + (token[place] === 'A' ? 'B' : 'A') + token.slice(place + 1);
        for (const other of [changed, token.slice(0, place), `${token}A`]) {
          expect(readUnsubscribeToken(SECRET, other)).toBeUndefined();
        }
        expect(readUnsubscribeToken('x'.repeat(32), token)).toBeUndefined();
      }),
    );
  });

  it.each(['', 'a', '%00', 'A'.repeat(5000)])('is not «%s»', (token) => {
    expect(readUnsubscribeToken(SECRET, token)).toBeUndefined();
  });
});
