import { displayOf, isClipped, isRaised } from './html.display';

describe('how an element is shown', () => {
  it.each([
    'display:none',
    'color:red; DISPLAY : None',
    'display:none!important;max-height:0',
    'display:block;display:none',
  ])('not at all: %s', (style) => {
    expect(displayOf({ style })).toBe('none');
    expect(displayOf({ style: ` ${style}; mso-hide:all` })).toBe('none');
  });

  it('not at all if it is `hidden`, unless its style shows it', () => {
    expect(displayOf({ hidden: '' })).toBe('none');
    expect(displayOf({ hidden: '', style: 'color:red' })).toBe('none');
    expect(displayOf({ hidden: '', style: 'display:inline' })).toBeUndefined();
  });

  it('on a line of its own', () => {
    for (const style of ['display:block', 'display:none;display: list-item', '\ndisplay:table;', 'display:table-row'])
      expect(displayOf({ style })).toBe('block');
  });

  it('with its children apart, on a line of its own or within one', () => {
    for (const style of ['display:flex', 'display:none;DISPLAY: grid']) expect(displayOf({ style })).toBe('flex');
    for (const style of ['display:inline-flex', 'float:left;display:inline-grid'])
      expect(displayOf({ style })).toBe('inline-flex');
  });

  it('apart from what is beside it', () => {
    for (const style of ['float:right', 'color:red; Float : left !important', 'display:table-cell'])
      expect(displayOf({ style })).toBe('apart');
    expect(displayOf({ style: 'float:left; display:inline' })).toBe('apart');
    expect(displayOf({ style: 'float:left; display:block' })).toBe('block');
    expect(displayOf({ style: 'float:left; display:none' })).toBe('none');
    expect(displayOf({ style: 'float:left', hidden: '' })).toBe('none');
  });

  it('as MJML shows it in a carousel: each image once, though all but the first are hidden until they are chosen', () => {
    const style = 'display:none;mso-hide:all;';
    expect(displayOf({ class: 'mj-carousel-image mj-carousel-image-2 a', style })).toBeUndefined();
    expect(displayOf({ class: 'mj-carousel-thumbnail mj-carousel-1-thumbnail', style: 'display:inline-block' })).toBe(
      'none',
    );
    for (const name of ['mj-carousel-next-icons', 'mj-carousel-imagery', 'x mj-carousel-image'])
      expect(displayOf({ class: name, style })).toBe('none');
  });

  it.each([
    '',
    'color:red',
    'display:inline-block',
    'x-display:none',
    'mso-hide:all',
    'font-family:display',
    'display:',
    'display:constructor',
    'float:none',
    'float:',
    'x-float:left',
    'display:inline-table;float:inherit',
  ])('as usual: %j', (style) => {
    expect(displayOf({ style })).toBeUndefined();
  });

  it('is found in a moment in a long style', () => {
    const started = performance.now();
    for (const part of ['display:none;', '; '.repeat(10), 'display ', 'display:\n', 'float:left;', ' padding:'])
      for (const shown of [displayOf, isClipped, isRaised]) shown({ style: `max-height:0;${part.repeat(20_000)}` });
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

describe('a box that is clipped', () => {
  it.each([
    'max-height:0; overflow:hidden; mso-hide:all;',
    'MAX-HEIGHT : 0px !important;Overflow: hidden',
    'overflow:hidden;padding:0 0px;line-height:1px;max-height:0.0em',
  ])('shows nothing: %s', (style) => {
    expect(isClipped({ style })).toBe(true);
  });

  it.each([
    '',
    'max-height:0',
    'overflow:hidden',
    'max-height:0;overflow:visible',
    'max-height:0.5em;overflow:hidden',
    'max-height:100%;overflow:hidden',
    'max-height:0;overflow:hidden;max-height:none',
    'max-height:0;overflow:hidden;padding-bottom:56%',
    'height:0;overflow:hidden',
    'visibility:hidden;opacity:0;font-size:0;mso-hide:all',
  ])('may show something, at least in some mail programs: %j', (style) => {
    expect(isClipped({ style })).toBe(false);
  });
});

it('text is raised by its style', () => {
  for (const style of ['vertical-align:super', 'font-size:9px; Vertical-Align : SUPER!important'])
    expect(isRaised({ style })).toBe(true);
  for (const style of ['vertical-align:top', 'x-vertical-align:super', 'super', undefined])
    expect(isRaised({ style })).toBe(false);
});
