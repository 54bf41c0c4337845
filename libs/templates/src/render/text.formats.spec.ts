import type { Mjml } from '../compile/mjml.compile';
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

  it('keeps apart what its style shows apart in one line', () => {
    const row = (style: string) => `<div style="${style}"><span>Total</span><span>$5.00</span></div>`;
    for (const style of ['display:flex', 'display:inline-flex;color:red', 'display:grid'])
      expect(plainTextOf(`${row(style)}<p>Bye</p>`)).toBe('Total $5.00\n\nBye');
    expect(plainTextOf(row('display:flex').replaceAll('div', 'b') + 'Bye')).toBe('Total $5.00\nBye');
    expect(plainTextOf(`<b>To${row('display:inline-flex').replaceAll('div', 'b')}day</b>`)).toBe('ToTotal $5.00 day');
    const link = '<a href="u:1" style="float:right">One</a>';
    for (const style of ['float:right', 'display:table-cell'])
      expect(plainTextOf(`Total<span style="${style}">$5.00</span>${link}more<img alt="A" style="${style}">B`)).toBe(
        'Total $5.00 One [u:1] more A B',
      );
    const digits = [4, 7, 1].map((digit) => `<span style="display:inline-block;padding:8px">${digit}</span>`);
    expect(plainTextOf(`<p>${digits.join('')}</p>`)).toBe('471');
  });

  it('has each image of a carousel made by MJML with its target', async () => {
    const { default: mjml } = (await import('mjml')) as unknown as { default: Mjml };
    const image = (n: number) => `<mj-carousel-image src="${n}.png" alt="Image ${n}" href="https://x.test/${n}"/>`;
    const column = `<mj-column><mj-carousel>${[1, 2, 3].map(image).join('')}</mj-carousel></mj-column>`;
    const { html } = await mjml(`<mjml><mj-body><mj-section>${column}</mj-section></mj-body></mjml>`, {});
    const lines = [1, 2, 3].map((n) => `Image ${n} [https://x.test/${n}]`);
    expect(plainTextOf(html)).toBe(lines.join('\n'));
  });

  it.each([
    '<div style="display:none;font-size:1px;max-height:0">Preview&nbsp;&zwnj;&#847;</div>',
    '<span hidden>Preview</span>',
    '<div style="max-height:0; overflow:hidden; mso-hide:all;" aria-hidden="true">Preview</div>',
    '<span style="display:block;max-height:0px;overflow:hidden">Preview</span><p style="max-height:0;overflow:hidden">P</p>',
    '<input value="Preview" hidden><sup hidden>1</sup>',
    '<a href="https://x.test/" style="color:red;display: none !important">Preview</a>',
    '<table style="display:none"><tr><td>Preview</td></tr></table>',
    '<table><tr style="display:none"><td>Preview</td></tr><tr><td hidden>Preview</td></tr></table>',
    '<ul hidden><li>Preview</li></ul><blockquote hidden>Preview</blockquote><hr hidden><h1 hidden>Preview</h1>',
    '<img alt="Preview" style="display:none"><pre hidden>Preview</pre><p hidden>Preview</p>',
  ])('has nothing of what the html hides: %s', (hidden) => {
    expect(plainTextOf(`${hidden}<p>Hello</p>${hidden}`)).toBe('Hello');
  });

  it('has what only a style without effect would hide', () => {
    const clip = 'style="max-height:0;overflow:hidden"';
    expect(plainTextOf(`<span ${clip}>One</span><table ${clip}><tr ${clip}><td ${clip}>Two</td></tr></table>`)).toBe(
      'One\nTwo',
    );
  });

  it('has what is hidden in Outlook alone, such as the link of a button that it draws itself', () => {
    const button = '<a href="https://x.test/" style="color:#fff;mso-hide:all">Reset</a>';
    expect(plainTextOf(`<!--[if mso]><v:rect>Reset</v:rect><![endif]-->${button}`)).toBe('Reset [https://x.test/]');
  });
});
