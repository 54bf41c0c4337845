import { markBefore } from './text.raised';

const sup = (before: string, raised: string, after = '') => before + markBefore('sup', before, raised, after) + raised;
const sub = (before: string, lowered: string, after = '') =>
  before + markBefore('sub', before, lowered, after) + lowered;

describe('what stands for the height of raised digits, which a text cannot have', () => {
  it('is a decimal point for the two digits of a price', () => {
    for (const before of ['$19', '€ 19', '$\u00a019', '(£19', 'US$19']) expect(sup(before, '99')).toBe(`${before}.99`);
    expect(sup('$1,299', '00')).toBe('$1,299.00');
    expect(sup('1299', '00', ' €')).toBe('1299.00');
    expect(sup('19', '99 €')).toBe('19.99 €');
    expect(sup('$19', '99*', '/month')).toBe('$19.99*');
    expect(sub('$19', '99')).toBe('$19.99');
  });

  it('is ^ for all others, as for a power', () => {
    expect(sup('19', '99')).toBe('19^99');
    expect(sup('10', '12')).toBe('10^12');
    expect(sup('10m', '2')).toBe('10m^2');
    expect(sup('10', '−3')).toBe('10^−3');
    expect(sup('Fe', '3+')).toBe('Fe^3+');
    expect(sup('(a+b)', '2')).toBe('(a+b)^2');
  });

  it('is ^ for the number of a note, which is no part of the amount before it', () => {
    expect(sup('$5.00', '1')).toBe('$5.00^1');
    expect(sup('$5.00', '12')).toBe('$5.00^12');
    expect(sup('$5', '1')).toBe('$5^1');
    expect(sup('5,00 €', '1')).toBe('5,00 €^1');
    expect(sup('20 %', '2')).toBe('20 %^2');
  });

  it('is a blank before a fraction', () => {
    expect(sup('3', '1', '/')).toBe('3 1');
    expect(sup('3', '1', ' ⁄ ')).toBe('3 1');
    expect(sup('$19', '99', '/')).toBe('$19.99');
  });

  it('is _ for lowered digits behind others', () => {
    expect(sub('101', '2')).toBe('101_2');
    expect(sub('H', '2', 'O')).toBe('H2');
    expect(sub('1/', '2')).toBe('1/2');
  });

  it('is nothing where it changes nothing', () => {
    for (const raised of ['st', 'TM', '®', '*', '', 'e']) expect(sup('1', raised)).toBe(`1${raised}`);
    for (const before of ['', '$', '$19.', 'note*', '"']) expect(sup(before, '99')).toBe(`${before}99`);
  });
});
