import { checkTemplate } from '../compile/template.check';
import { engineOf } from '../liquid.engine';
import { FILTER_ADVICE, TAG_ADVICE } from './foreign.names';

const { tags, filters } = engineOf('html');
const codeIn = (advice: string) => /^write (.+)$/.exec(advice)?.[1] ?? '';

describe('names of other systems', () => {
  it.each([...FILTER_ADVICE])('are not those of filters here: %s', (name, advice) => {
    expect(filters).not.toHaveProperty(name);
    expect(checkTemplate(`{{ a | ${name} }}`, 'html')).toMatchObject([
      { detail: `«${name}» is not understood; ${advice}` },
    ]);
    expect(checkTemplate(codeIn(advice), 'html')).toEqual([]);
  });

  it.each([...TAG_ADVICE])('are not those of tags here: %s', (name, advice) => {
    expect(tags).not.toHaveProperty(name);
    expect(checkTemplate(`{% ${name} a %}`, 'html')).toMatchObject([
      { detail: `«${name}» is not understood; ${advice}` },
    ]);
    for (const [, written] of codeIn(advice).matchAll(/\{% (\w+)/g)) {
      expect(tags).toHaveProperty(written!.replace(/^end|^els(?:e|if)$/, (other) => (other === 'end' ? '' : 'if')));
    }
  });
});
