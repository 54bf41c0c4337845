import { displayOf } from './html.display';

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
    for (const style of ['display:block', 'display:none;display: flex', '\ndisplay:table;'])
      expect(displayOf({ style })).toBe('block');
  });

  it.each([
    '',
    'color:red',
    'display:inline-block',
    'x-display:none',
    'mso-hide:all',
    'font-family:display',
    'display:',
  ])('as usual: %j', (style) => {
    expect(displayOf({ style })).toBeUndefined();
  });

  it('is found in a moment in a long style', () => {
    const started = performance.now();
    for (const part of ['display:none;', '; '.repeat(10), 'display ', 'display:\n'])
      displayOf({ style: part.repeat(50_000) });
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
