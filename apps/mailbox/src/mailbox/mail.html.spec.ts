import { frameHtml, framePolicy } from './mail.html';

const none = new Map();
const dot = { contentType: 'image/png', bytes: Buffer.from('PNG') };
const DOT_URI = `data:image/png;base64,${dot.bytes.toString('base64')}`;

describe('the policy of the frame', () => {
  it('forbids everything but display, scripts above all', () => {
    const policy = framePolicy(false);
    expect(policy).toContain('sandbox');
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/allow-scripts|allow-same-origin|allow-forms|allow-top-navigation|script-src|https?:/);
  });

  it('allows remote images, over https only, if asked for', () => {
    expect(framePolicy(true)).toContain('img-src data: https:;');
    expect(framePolicy(true).replace('img-src data: https:', '')).not.toMatch(/https?:/);
  });
});

describe('frameHtml', () => {
  it.each([
    ['a script', '<script>steal()</script>', /<script(?! type=text\/plain)/i],
    ['a script in disguise', '<SCRIPT/src=//evil.example>', /<script(?! type=text\/plain)/i],
    ['a script in an image', '<svg><script xlink:href="x"/></svg>', /<script(?! type=text\/plain)/i],
    ['a refresh', '<meta http-equiv="refresh" content="0;url=https://evil.example">', /<meta(?! http-equiv=disarmed)/i],
    ['a preconnect', '<link rel="preconnect" href="https://evil.example">', /<link/i],
    ['a prefetch over several lines', '<LINK\nrel=dns-prefetch\thref=//evil.example>', /<link/i],
    ['a frame', '<iframe src="https://evil.example"></iframe>', /<\/?iframe/i],
    ['a plug-in', '<object data=x></object><embed src=x>', /<\/?(?:object|embed)/i],
  ])('disarms %s even without the policy', (_case, html, armed) => {
    expect(html).toMatch(armed);
    expect(frameHtml(html, none)).not.toMatch(armed);
  });

  it('removes nothing, so that no new tag appears, and adds no quote, so that no value ends early', () => {
    expect(frameHtml('<li<link >nk rel=preconnect>', none)).toContain('<li<meta http-equiv=disarmed >nk');
    expect(frameHtml('<p title="<script onclick=x">', none)).toContain('<p title="<script type=text/plain onclick=x">');
    expect(frameHtml('<linked-list><metadata>', none)).toContain('<linked-list><metadata>');
  });

  it('opens links in a new window and keeps the doctype first', () => {
    expect(frameHtml('<!DOCTYPE html>\n<p>a', none)).toBe('<!DOCTYPE html><base target="_blank">\n<p>a');
    expect(frameHtml('<p>a', none)).toBe('<base target="_blank"><p>a');
  });

  it.each([
    ['<a target="_top" href="https://a.example">', '<a target=_blank target="_top" href="https://a.example">'],
    ["<AREA href='/b' target=_self>", "<AREA target=_blank href='/b' target=_self>"],
    ['<a href="#toc">', '<a target=_self href="#toc">'],
    ['<a class="x"\nhref = #toc>', '<a target=_self class="x"\nhref = #toc>'],
    ['<a name=toc><b href="#toc">', '<a target=_blank name=toc><b href="#toc">'],
    ['<abbr><article>', '<abbr><article>'],
  ])('opens every link in a new window, except one to a place in the mail: %s', (html, shown) => {
    expect(frameHtml(html, none)).toBe(`<base target="_blank">${shown}`);
  });

  it('leaves links as they are behind the first MiB, as millions of them would hold up all else', () => {
    const html = `<a href=x>${'-'.repeat(1024 * 1024)}<a href=y>`;
    const shown = frameHtml(html, none);
    expect([shown.slice(0, 50), shown.slice(-10)]).toEqual([
      `<base target="_blank"><a target=_blank href=x>----`,
      '<a href=y>',
    ]);
  });

  it('embeds images of the mail itself, wherever it refers to them', () => {
    const images = new Map([['a@b', dot]]);
    const html = `<img src="cid:a@b"><img src='cid:a%40b'><td style="background:url( cid:a@b )"><img src=cid:a@b>`;
    const shown = frameHtml(html, images);
    expect(shown.split(DOT_URI)).toHaveLength(5);
    expect(shown).not.toContain('cid:');
  });

  it('leaves references to unknown images alone, broken escapes included', () => {
    const html = '<img src="cid:other"><img src="cid:%E0%A4%A"><p>cid:dot</p>';
    expect(frameHtml(html, new Map([['dot', dot]]))).toContain(html);
  });

  it('limits the size if one image is referred to over and over', () => {
    const image = { contentType: 'image/png', bytes: Buffer.alloc(3 * 1024 * 1024) };
    const shown = frameHtml('<img src="cid:big">'.repeat(1000), new Map([['big', image]]));
    expect(shown.length).toBeLessThan(33 * 1024 * 1024);
    expect(shown).toContain('cid:big');
  });

  it('is fast on hostile repetition', () => {
    for (const part of [
      '<script',
      '<!doctype ',
      'cid:',
      '=cid:',
      "url('cid:",
      '<link ',
      '<a ',
      '<a href= ',
      '<a href',
    ]) {
      expect(frameHtml(part.repeat(100_000), none).length).toBeGreaterThan(0);
    }
  });
});
