import { linkTarget } from './link.target';

describe('the target of a link in a text', () => {
  it.each([
    ['https://x.test/?a=1&b=2#c', 'https://x.test/?a=1&b=2#c'],
    [' https://x.test/ \n', 'https://x.test/'],
    ['https://x.test/a\n\t\tb\r\nc', 'https://x.test/abc'],
    ['https://x.test/my file.pdf', 'https://x.test/my%20file.pdf'],
    ['https://x.test/a\u00a0b\u200bc\u000bd', 'https://x.test/a%C2%A0b%E2%80%8Bc%0Bd'],
    ['https://x.test/a\u00adb', 'https://x.test/a%C2%ADb'],
    ['tel:+49 30 1', 'tel:+49%2030%201'],
  ])('is read as browsers read it, and has no blanks: %j', (href, target) => {
    expect(linkTarget(href)).toBe(target);
  });

  it.each([
    ['mailto:a@x.test', 'a@x.test'],
    [' MAILTO:a@x.test', 'a@x.test'],
    ['mailto:a@x.test?subject=Help me', 'mailto:a@x.test?subject=Help%20me'],
  ])('is an address only if nothing but that would be lost: %j', (href, target) => {
    expect(linkTarget(href)).toBe(target);
  });

  it('is nothing within the mail', () => {
    for (const href of ['', ' ', '#', '#top', ' #top']) expect(linkTarget(href)).toBe('');
    for (const href of ['data:text/calendar;base64,QUJD', ' DATA:,x', 'da\nta:,x']) expect(linkTarget(href)).toBe('');
  });
});
