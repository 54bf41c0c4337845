import { plainTextOf } from './plain.text';

describe('the plain text made from html', () => {
  it('has each table row on a line of its own, with its cells separated', () => {
    const row = (...cells: string[]) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
    const head = '<thead><tr><th>Article</th><th>Quantity</th><th>Price</th></tr></thead>';
    const body = `<tbody>${row('Coffee', '2', '€&nbsp;7.00')}${row('Cake', '1', '€&nbsp;4.00')}</tbody>`;
    expect(plainTextOf(`<p>You bought:</p><table>${head}${body}</table><p>Thank you.</p>`)).toBe(
      'You bought:\n\nArticle Quantity Price\nCoffee 2 €\u00a07.00\nCake 1 €\u00a04.00\n\nThank you.',
    );
  });

  it('keeps the paragraphs within layout tables', () => {
    const buttons = '<table><tr><td><a href="https://x.example/a">One</a></td><td><b>Two</b></td></tr></table>';
    const html = `<table><tr><td><h1>Hello</h1><p>Text</p></td></tr><tr><td>${buttons}</td></tr></table><p>End</p>`;
    expect(plainTextOf(html)).toBe('Hello\n\nText\n\nOne [https://x.example/a] Two\n\nEnd');
  });

  it('has what an image says, as mail programs show it where they load no images', () => {
    const button = '<a href="https://x.example/r"><img src="r.png" alt=" Reset  password "></a>';
    expect(plainTextOf(`<p><img src="logo.png" alt="Shop"></p><p>Hello</p>${button}`)).toBe(
      'Shop\n\nHello\n\nReset password [https://x.example/r]',
    );
    expect(plainTextOf('<p>a<img src="x" alt="">b<img src="x"></p>')).toBe('ab');
  });

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

  it('names the target of each link once', () => {
    expect(plainTextOf('<a href="https://x.example/?a=1&amp;b=2">Reset</a>')).toBe(
      'Reset [https://x.example/?a=1&b=2]',
    );
    expect(plainTextOf('<a href="https://x.example/">https://x.example/</a>')).toBe('https://x.example/');
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

  it('has all of elements that are never closed', () => {
    const items = Array.from({ length: 900 }, (_, n) => `${n}`);
    for (const open of ['<font color=red>', '<div>', '<b>']) {
      const html = `${items.map((item) => `${open}${item}<br>`).join('')}<p>Total: 7</p>`;
      expect(plainTextOf(html).split('\n').filter(Boolean)).toEqual([...items, 'Total: 7']);
    }
  });
});
