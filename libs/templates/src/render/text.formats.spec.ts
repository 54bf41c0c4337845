import { plainTextOf } from './plain.text';

const LINES =
  'address article aside caption center dd details dialog div dl dt fieldset figcaption figure footer form header hgroup legend li ' +
  'listing main nav optgroup option search section summary xmp';

describe('what the plain text made from html has of each element', () => {
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

  it.each(LINES.split(' '))('has each %s on a line of its own', (name) => {
    const html = `before<${name}>Your code is 1234</${name}><${name}>5 minutes left</${name}>after`;
    const lines = ['before', 'Your code is 1234', '5 minutes left', 'after'];
    expect(plainTextOf(html).split('\n').filter(Boolean)).toEqual(lines);
  });

  it('has a line for what its style makes a block, but still one for a row', () => {
    const block = (name: string, text: string) => `<${name} style="display:block">${text}</${name}>`;
    expect(plainTextOf(`${block('span', 'Code 1234')}${block('span', '5 minutes left')}Bye`)).toBe(
      'Code 1234\n5 minutes left\nBye',
    );
    expect(plainTextOf(`<a href="u:1" style="display: block">One</a>${block('b', 'Two')}`)).toBe('One [u:1]\nTwo');
    const image = '<img alt="Coffee" style="display:block">';
    expect(plainTextOf(`${image}Hello<table><tr><td>${image}</td><td>2</td></tr></table>`)).toBe(
      'Coffee Hello\nCoffee 2',
    );
  });

  it('has bullets for each kind of list, and items only for what is shown', () => {
    for (const name of ['ul', 'menu', 'dir']) {
      const items = '<li>One</li><!-- or --><li hidden>Two</li> <li>Three<ul><li>Four</li></ul></li>';
      expect(plainTextOf(`<${name}>${items}</${name}>`)).toBe(' * One\n * Three\n   * Four');
    }
    expect(plainTextOf('<ol start="3"><li style="display:none">One</li><li>Two</li></ol>')).toBe(' 3. Two');
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

  it.each([
    '<div style="display:none;font-size:1px;max-height:0">Preview&nbsp;&zwnj;&#847;</div>',
    '<span hidden>Preview</span>',
    '<a href="https://x.test/" style="color:red;display: none !important">Preview</a>',
    '<table style="display:none"><tr><td>Preview</td></tr></table>',
    '<table><tr style="display:none"><td>Preview</td></tr><tr><td hidden>Preview</td></tr></table>',
    '<ul hidden><li>Preview</li></ul><blockquote hidden>Preview</blockquote><hr hidden><h1 hidden>Preview</h1>',
    '<img alt="Preview" style="display:none"><pre hidden>Preview</pre><p hidden>Preview</p>',
  ])('has nothing of what the html hides: %s', (hidden) => {
    expect(plainTextOf(`${hidden}<p>Hello</p>${hidden}`)).toBe('Hello');
  });

  it('has what is hidden in Outlook alone, such as the link of a button that it draws itself', () => {
    const button = '<a href="https://x.test/" style="color:#fff;mso-hide:all">Reset</a>';
    expect(plainTextOf(`<!--[if mso]><v:rect>Reset</v:rect><![endif]-->${button}`)).toBe('Reset [https://x.test/]');
  });
});
