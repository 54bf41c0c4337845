import { LimitExceeded } from '../liquid.limits';
import { MAX_DEPTH, refuseDeepHtml } from './html.depth';
import { plainTextOf } from './plain.text';

describe('html whose elements are nested too deep to make a text of it', () => {
  it.each([
    '<font>',
    '<a href=x>',
    '<div>',
    '<ul><li>',
    '<ol><li>',
    '<blockquote>',
    '<table><tr><td>',
    '<pre>',
    '<h1>',
    '<div style=display:flex>',
    '<i style=display:inline-flex>',
    '<sup>',
  ])('is refused before it overflows the stack: %s', (open) => {
    const opens = open.match(/<[^>]+>/g)!;
    const nested = (depth: number) => Array.from({ length: depth }, (_, n) => opens[n % opens.length]).join('');
    expect(plainTextOf(`${nested(MAX_DEPTH)}the end`)).toContain('the end');
    expect(() => plainTextOf(`${nested(MAX_DEPTH + 1)}the end`)).toThrow(LimitExceeded);
  });

  it('is refused in a moment, however large it is', () => {
    const started = performance.now();
    expect(() => refuseDeepHtml('<a href=x>'.repeat(100_000))).toThrow(LimitExceeded);
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it('is not one with many elements beside each other', () => {
    for (const part of ['<p>x', '<b>x</b>', '<br>', '<img src=x>', '<tr><td>x', '</p>'])
      refuseDeepHtml(part.repeat(5_000));
  });
});
