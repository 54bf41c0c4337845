import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkTemplate } from '../libs/templates/src/compile/template.check';
import { mergeTagFaults } from '../libs/templates/src/misread/merge.tags';

const page = readFileSync(join(__dirname, '../docs/send.md'), 'utf8');
const section = page.slice(page.indexOf('### Templates of other systems'), page.indexOf('## 10. '));
const codesOf = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code!.replaceAll('\\|', '|'));
const rows = section
  .split('\n')
  .filter((line) => /^\| .*`/.test(line))
  .map((line) => line.split(/(?<!\\)\|/).slice(1, 3) as [string, string]);
const faultsOf = (text: string) => [...checkTemplate(text, 'html'), ...mergeTagFaults(text, 'html')];
const inLoop = (text: string) => `{% for item in items %}${text}{% endfor %}`;

/** What the first tag of an example needs around it. */
function whole(example: string): string {
  const name = /\{% (\w+)(?!.*\{%)/.exec(example)?.[1] ?? '';
  if (/^els/.test(name)) return `{% if a %}${example}{% endif %}`;
  return ['if', 'for', 'raw', 'comment'].includes(name) ? `${example}{% end${name} %}` : example;
}

describe('the table of templates of other systems', () => {
  it.each(rows.flatMap(([foreign]) => codesOf(foreign)))('has what is refused: %s', (foreign) => {
    expect(faultsOf(inLoop(foreign))[0]?.detail).toContain('is not understood; ');
  });

  it.each(rows.flatMap(([, written]) => codesOf(written)))('has what is understood: %s', (written) => {
    expect(faultsOf(inLoop(whole(written)))).toEqual([]);
  });

  it('is followed by what is not refused', () => {
    const others = codesOf(section.slice(section.indexOf('Not refused'))).filter(
      (code) => !code.startsWith('on_missing'),
    );
    expect(others.length).toBeGreaterThan(9);
    for (const other of others) expect([other, faultsOf(other)]).toEqual([other, []]);
  });
});
