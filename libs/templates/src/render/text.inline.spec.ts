import { plainTextOf } from './plain.text';

describe('what the plain text made from html has of elements in a line', () => {
  it('has what an image says, as mail programs show it where they load no images', () => {
    const button = '<a href="https://x.example/r"><img src="r.png" alt=" Reset  password "></a>';
    expect(plainTextOf(`<p><img src="logo.png" alt="Shop"></p><p>Hello</p>${button}`)).toBe(
      'Shop\n\nHello\n\nReset password [https://x.example/r]',
    );
    expect(plainTextOf('<p>a<img src="x" alt="">b<img src="x"></p>')).toBe('ab');
  });

  it('names the target of each link once', () => {
    expect(plainTextOf('<a href="https://x.example/?a=1&amp;b=2">Reset</a>')).toBe(
      'Reset [https://x.example/?a=1&b=2]',
    );
    expect(plainTextOf('<a href="https://x.example/">https://x.example/</a>')).toBe('https://x.example/');
  });

  it('has links that can be followed: none is glued to what is beside it, or wrapped', () => {
    const image = (href: string) => `<a href="${href}"><img src="x"></a>`;
    expect(plainTextOf(`Hello${image('https://x.test/a')}${image('https://x.test/b')}Bye`)).toBe(
      'Hello https://x.test/a https://x.test/b Bye',
    );
    const long = `https://x.test/${'y'.repeat(70)}`;
    expect(plainTextOf(`<p>Open <a href="\n ${long} z ">it</a></p>`)).toBe(`Open it\n[${long}%20z]`);
    expect(plainTextOf('<a href=" https://x.test/ ">https://x.test/</a> <a href=" #top">Top</a>')).toBe(
      'https://x.test/ Top',
    );
    expect(plainTextOf('<a href="mailto:a@x.test?subject=A b">a@x.test</a>')).toBe(
      'a@x.test [mailto:a@x.test?subject=A%20b]',
    );
  });

  it('leaves out what a link has in itself, such as a file', () => {
    const file = `data:text/calendar;base64,${'QUJD'.repeat(99)}`;
    expect(
      plainTextOf(`<a href="${file}">Add</a>, <a href="${file}"><img src="x"></a><a href="${file}">or not</a>`),
    ).toBe('Add, or not');
  });

  it('names targets in the same way where blanks are kept', () => {
    const link = (text: string) => `<a href="https://x.test">${text}</a>`;
    expect(plainTextOf(`<pre>a  ${link('l  <b>k</b>')}\nb ${link('https://x.test')}</pre>`)).toBe(
      'a  l  k [https://x.test]\nb https://x.test',
    );
    expect(plainTextOf(`<pre>a${link('<img src="x">')}b</pre>`)).toBe('a https://x.test b');
  });

  it('has no other amount or code than the html where digits are raised', () => {
    const raised = (tag: string, inner = '99') => `<b>$</b><span>19</span><${tag}>${inner}</${tag.split(' ')[0]}>`;
    for (const tag of ['sup', 'sub', 'span style="vertical-align:super"', 'sup style="font-size:9px"'])
      expect(plainTextOf(`<p>Total: <b>${raised(tag)}</b></p>`)).toBe('Total: $19.99');
    expect(plainTextOf(`<sup>$</sup>19<sup><b>99</b></sup>`)).toBe('$19.99');
    expect(plainTextOf(`$19<sup>9<i>9</i></sup>`)).toBe('$19.99');
    expect(plainTextOf('19<sup>99</sup> € or 19<sup>99</sup><sup>€</sup>')).toBe('19.99 € or 19.99€');
    expect(plainTextOf('<p>10m<sup>2</sup>, 1<sup>st</sup>, H<sub>2</sub>O, 3<sup>1</sup>/<sub>2</sub></p>')).toBe(
      '10m^2, 1st, H2O, 3 1/2',
    );
    expect(plainTextOf('<p>19 <sup>99</sup></p><p>19<sup> 99</sup></p><div>5</div><sup>1</sup> note')).toBe(
      '19 99\n\n19 99\n\n5\n1 note',
    );
    expect(plainTextOf('<p>19<sup hidden>99</sup></p><pre>$19<sup>99</sup> 2<sup>4</sup></pre>')).toBe(
      '19\n\n$19.99 2^4',
    );
    expect(
      plainTextOf(`<a href="https://x.test/${'y'.repeat(40)}">https://x.test/${'y'.repeat(40)}<sup>2</sup></a>`),
    ).toContain('y^2');
  });

  it('has the value of a field that shows it as text', () => {
    expect(plainTextOf('<p>Code:<input value="4711" readonly>or <input type="TEL" value=" 47 11 "></p>')).toBe(
      'Code: 4711 or 47 11',
    );
    for (const type of ['hidden', 'password', 'checkbox', 'radio', 'submit', 'button', 'Image'])
      expect(plainTextOf(`a<input type="${type}" value="b">c`)).toBe('ac');
    expect(plainTextOf('a<input>b<input value="c" style="display:none"><input value=" ">')).toBe('ab');
  });
});
