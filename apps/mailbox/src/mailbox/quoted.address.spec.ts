import { replaceQuotedLocalPart } from './quoted.address';

describe('a quoted local part', () => {
  it.each([
    [
      'RCPT TO:<"a b"@example.com> NOTIFY=NEVER',
      { localPart: '"a b"', rest: 'RCPT TO:<quoted@example.com> NOTIFY=NEVER' },
    ],
    ['MAIL FROM: <"a\\"@b"@example.com>', { localPart: '"a\\"@b"', rest: 'MAIL FROM: <quoted@example.com>' }],
    ['RCPT TO:<a.b@example.com>', undefined],
    ['RCPT TO:<"a"b@example.com>', undefined],
    ['RCPT TO:<"a\tb"@example.com>', undefined],
    ['RCPT TO:<"a@example.com>', undefined],
  ])('is looked for in %j', (command, found) => {
    expect(replaceQuotedLocalPart(command)).toEqual(found);
  });
});
