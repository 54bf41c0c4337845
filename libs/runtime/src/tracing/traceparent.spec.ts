import fc from 'fast-check';
import { formatTraceparent, parseTraceparent } from './traceparent';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

describe('traceparent', () => {
  it.each([
    [`00-${TRACE}-${SPAN}-01`, 1],
    [`00-${TRACE}-${SPAN}-00`, 0],
    [`00-${TRACE}-${SPAN}-03`, 1],
    [`cc-${TRACE}-${SPAN}-01-what-comes-later`, 1],
  ])('%s is valid', (text, flags) => {
    expect(parseTraceparent(text)).toEqual({ traceId: TRACE, spanId: SPAN, flags });
  });

  it.each([
    undefined,
    ['00'],
    '',
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-01-more`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
    ` 00-${TRACE}-${SPAN}-01`,
    `cc-${TRACE}-${SPAN}-01-${'x'.repeat(300)}`,
  ])('%s is invalid', (text) => expect(parseTraceparent(text)).toBeUndefined());

  it('is parsed as it was written', () => {
    const hex = (length: number) =>
      fc
        .array(fc.constantFrom(...'0123456789abcdef'), { minLength: length, maxLength: length })
        .map((letters) => letters.join(''))
        .filter((text) => !/^0+$/.test(text));
    fc.assert(
      fc.property(hex(32), hex(16), fc.constantFrom(0, 1), (traceId, spanId, flags) => {
        const place = { traceId, spanId, flags };
        expect(parseTraceparent(formatTraceparent(place))).toEqual(place);
      }),
    );
  });
});
