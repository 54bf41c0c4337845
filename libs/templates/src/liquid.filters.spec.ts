import { engineOf } from './liquid.engine';
import { RENDER_LIMITS, RenderBudget } from './liquid.limits';
import { isTemplateFault, parseTemplate, renderFailure, renderTemplate } from './liquid.template';
import type { TemplateKind } from './tags';

/** What is shown, or why it fails. */
function shown(source: string, profile: object = {}, kind: TemplateKind = 'text'): unknown {
  const parsed = parseTemplate(source, kind);
  if (isTemplateFault(parsed)) return parsed;
  const input = { data: { profile, contact: {}, campaign: {}, message: {} }, now: Date.UTC(2026, 0, 2, 3, 4, 5) };
  try {
    return renderTemplate(parsed, input, new RenderBudget(RENDER_LIMITS, performance.now()));
  } catch (error) {
    return renderFailure(error, kind);
  }
}

describe('filters', () => {
  it('show dates as usual if the format is missing or no text', () => {
    expect(shown('{{ "now" | date: none }}|{{ "now" | date: 7 }}')).toBe('Friday, January 2, 2026 at 3:04 am +0000|7');
  });

  it('show an object as JSON, whichever makes a text of it', () => {
    const profile = { object: { a: 1 }, list: [{ a: 1 }, 2] };
    const names = Object.keys(engineOf('text').filters).filter((name) => !name.startsWith('date'));
    expect(names.length).toBeGreaterThan(60);
    const uses = names.flatMap((name) =>
      ['', ': "a"', ': object', ': "a", object', ': 1'].flatMap((args) => [
        `{{ object | ${name}${args} }}`,
        `{{ list | ${name}${args} }}`,
      ]),
    );
    for (const use of uses) expect([use, JSON.stringify(shown(use, profile))].join()).not.toContain('[object');
  });

  it.each(['{{ 10 | divided_by: 0 }}', '{{ 10 | modulo: count }}', '{{ 0 | divided_by: "x" }}', '{{ 1 | plus }}'])(
    'fail if a calculation has no result: %s',
    (source) => {
      const detail = expect.stringMatching(/^text, line 1, column 1: the result of \w+ is not a number$/) as string;
      expect(shown(source)).toEqual({ code: 'render_error', detail });
    },
  );

  it('calculate with texts that are numbers, and take what is missing for 0', () => {
    const profile = { price: '10.5', count: 4, none: null };
    expect(
      shown('{{ price | times: 2 }} {{ count | divided_by: 8 }} {{ none | plus: 1 }} {{ x | minus: 1 }}', profile),
    ).toBe('21 0.5 1 -1');
  });
});

it('line breaks of a text become those of html', () => {
  expect(shown('{{ text | escape | newline_to_br | raw }}', { text: 'a <\nb' }, 'html')).toBe('a &lt;<br />\nb');
});
