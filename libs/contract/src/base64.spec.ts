import * as fc from 'fast-check';
import { base64Fault, decodedSize, isBase64, MAX_ATTACHMENT_BYTES } from './base64';

describe('base64', () => {
  it.each(['', 'QQ==', 'QUI=', 'QUJD', 'QUJDRA==', '+/+/', 'AAAA'])('is valid: %j', (text) => {
    expect(isBase64(text)).toBe(true);
    expect(decodedSize(text)).toBe(Buffer.from(text, 'base64').length);
  });

  it.each([
    ['Q', { length: 1 }],
    ['QQ', { length: 2 }],
    ['QUJDR', { length: 5 }],
    ['QQ=', { length: 3 }],
    ['====', { position: 0, found: '=' }],
    ['Q===', { position: 1, found: '=' }],
    ['QQ=Q', { position: 2, found: '=' }],
    ['QQ==QUJD', { position: 2, found: '=' }],
    ['QUJ-', { position: 3, found: '-' }],
    ['QU_D', { position: 2, found: '_' }],
    ['QUJD\nQUJDRUZ', { position: 4, found: '\n' }],
    ['QUJD    ', { position: 4, found: ' ' }],
    ['QQ==\n', { position: 4, found: '\n' }],
    ['QUI=\nQQ==\n', { position: 4, found: '\n' }],
    ['data:text/plain;base64,QUJDRUZH', { length: 31 }],
    ['QUJ\u0143', { position: 3, found: '\u0143' }],
    ['QUJ\u00c1', { position: 3, found: '\u00c1' }],
    ['\ud800\ud800\ud800\ud800', { position: 0, found: '\ud800' }],
  ])('is invalid: %j', (text, fault) => {
    expect(isBase64(text)).toBe(false);
    expect('length' in fault || base64Fault(text)).toEqual('length' in fault || fault);
  });

  it('may hold 10 MiB of attachments per message', () => {
    expect(MAX_ATTACHMENT_BYTES).toBe(10_485_760);
  });

  it('decodes to the computed size', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const text = Buffer.from(bytes).toString('base64');
        expect(isBase64(text)).toBe(true);
        expect(decodedSize(text)).toBe(bytes.length);
      }),
    );
  });

  it('is valid exactly when it matches the grammar', () => {
    const grammar = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
    const letter = fc.constantFrom(...'AQz09+/==-_ \n\t.,:éŁ\u0141\u2028\u0000');
    fc.assert(
      fc.property(fc.array(letter, { maxLength: 12 }), (letters) => {
        const text = letters.join('');
        expect(isBase64(text)).toBe(grammar.test(text));
      }),
      { numRuns: 50_000 },
    );
  });
});
