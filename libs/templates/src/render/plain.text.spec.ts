import { plainTextOf } from './plain.text';

describe('the plain text made from html', () => {
  it('has at most one empty line for elements without text, and none at its ends', () => {
    const empty = '<tr><td height="20"> </td><td><img src="x"></td></tr>';
    const html = `<table>${empty}<tr><td> </td><td>Here</td><td></td></tr>${empty.repeat(4)}<tr><td>and</td></tr>${empty}</table>`;
    expect(plainTextOf(`<p></p>${html}<p> </p><p>there</p><div></div>`)).toBe('Here\n\nand\n\nthere');
  });

  it('keeps headings as they are written, and lines within 78 characters', () => {
    for (const level of [1, 2, 3, 4, 5, 6]) expect(plainTextOf(`<h${level}>Your order</h${level}>`)).toBe('Your order');
    const word = 'x'.repeat(38);
    expect(plainTextOf(`<p>${word} ${word}x ${word} ${word}xx</p>`)).toBe(`${word} ${word}x\n${word}\n${word}xx`);
  });

  it('covers all of the largest html that a mail may have', () => {
    const html = `<p>${'<!-- x -->'.repeat(2 * 104_000)}</p><p>the end</p>`;
    expect(plainTextOf(html)).toBe('the end');
  });

  it('has what parsers show of a document that is not well formed', () => {
    expect(plainTextOf('<html><body><p>Hello</p></body></html><p>Your code: 4711</p>')).toBe(
      'Hello\n\nYour code: 4711',
    );
    expect(plainTextOf('<p>Your code: 1</p><body><p>Hello</p></body>')).toBe('Your code: 1\n\nHello');
    expect(plainTextOf('<html><head><p>Your code: 1</p></head><body>Hello</body><body>there</body>')).toBe(
      'Your code: 1\n\nHellothere',
    );
    expect(plainTextOf('first\n<!-- <body> --><div title="<body>">second</div>\nthird')).toBe('first\nsecond\nthird');
  });

  it.each([
    '<title>Receipt</title>',
    '<style>p { color: red }</style>',
    '<script>run()</script>',
    '<template><p>Later</p></template>',
    '<datalist><option>Red</option></datalist>',
    '<noframes>Frames</noframes>',
    '<noembed>Plug-in</noembed>',
    '<!--[if mso]><xml>96</xml><![endif]-->',
  ])('has nothing of what no mail program shows: %s', (hidden) => {
    expect(plainTextOf(`<!doctype html>${hidden}<p>Hello</p>`)).toBe('Hello');
    const head = `<head><meta charset="utf-8">\n${hidden}\n</head>`;
    expect(plainTextOf(`<!doctype html>\n<html>${head}\n<body>\n<p>Hello</p>${hidden}</body></html>`)).toBe('Hello');
  });

  it.each(['<p>&nbsp;</p>', '<td>&nbsp;&zwnj;&#847;&shy;&#8203;&#8288;&#65279;</td>', '<pre>\n \n</pre>', ' &#8199; '])(
    'is empty if nothing of it can be seen: %s',
    (html) => {
      expect(plainTextOf(html)).toBe('');
      expect(plainTextOf(`${html}<p>One</p>${html}${html}<p>Two</p>${html}`)).toBe('One\n\nTwo');
    },
  );

  it('has codes and addresses in one piece where the html only allows a line to break', () => {
    const html =
      '<p>Code JD014&#8203;6000, shop&#8203;.example, Versand&shy;art, 10<wbr>00</p><pre>47&#8203;11&shy;</pre>';
    expect(plainTextOf(html)).toBe('Code JD0146000, shop.example, Versandart, 1000\n\n4711');
    expect(plainTextOf('<a href="https://x.test/a/b">https://x.test/&#8203;a/<wbr>b</a>')).toBe('https://x.test/a/b');
    expect(plainTextOf('<p>a &#8203; b&#8203; c\f d</p><img alt="e&shy;f">')).toBe('a  b c d\n\nef');
  });

  it('keeps characters without a width that mean something, and blanks at which no line may break', () => {
    const family = '👨\u200d👩';
    const persian = 'می\u200cخواهم';
    expect(plainTextOf(`<p>${family} ${persian} 5&nbsp;&nbsp;€ a&#8288;b &#8239;c</p>`)).toBe(
      `${family} ${persian} 5\u00a0\u00a0€ a\u2060b \u202fc`,
    );
  });

  it('is made in a moment, whatever the html repeats', () => {
    const started = performance.now();
    for (const part of [
      '9<sup>9</sup>',
      '<input value=1>',
      '<i style=display:flex>x</i>',
      '<a href=u>x</a>',
      '&#8203;',
    ])
      for (const start of ['<p>', '<pre>']) plainTextOf(start + part.repeat(10_000));
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it('has all of elements that are never closed', () => {
    const items = Array.from({ length: 900 }, (_, n) => `${n}`);
    for (const open of ['<font color=red>', '<div>', '<b>']) {
      const html = `${items.map((item) => `${open}${item}<br>`).join('')}<p>Total: 7</p>`;
      expect(plainTextOf(html).split('\n').filter(Boolean)).toEqual([...items, 'Total: 7']);
    }
  });
});
