/** Tags of Jinja, Twig, Django and Shopify that Liquid does not know here, and what to write instead. */
export const TAG_ADVICE: ReadonlyMap<string, string> = new Map([
  ['elif', 'write {% elsif name %}'],
  ['elseif', 'write {% elsif name %}'],
  ['set', 'write {% assign name = value %}'],
  ['end', 'write {% endif %} or {% endfor %}'],
  ['empty', 'write {% else %}'],
  ['verbatim', 'write {% raw %}…{% endraw %}'],
  ...['include', 'render', 'layout', 'block', 'extends', 'import', 'from'].map(
    (name) => [name, 'a template cannot use others: put their content here'] as const,
  ),
]);

/** Filters of these that Liquid calls otherwise. */
export const FILTER_ADVICE: ReadonlyMap<string, string> = new Map([
  ['upper', 'write {{ name | upcase }}'],
  ['lower', 'write {{ name | downcase }}'],
  ['title', 'write {{ name | capitalize }}'],
  ['capfirst', 'write {{ name | capitalize }}'],
  ['length', 'write {{ items | size }}'],
  ['count', 'write {{ items | size }}'],
  ['trim', 'write {{ name | strip }}'],
  ['safe', 'write {{ html | raw }}'],
  ['e', 'remove it: in html, values are escaped anyway'],
  ['nl2br', 'write {{ text | escape | newline_to_br | raw }}'],
  ['linebreaksbr', 'write {{ text | escape | newline_to_br | raw }}'],
  ['striptags', 'write {{ html | strip_html }}'],
  ['urlencode', 'write {{ token | url_encode }}'],
  ['tojson', 'write {{ order | json }}'],
  ['json_encode', 'write {{ order | json }}'],
]);

const LOOP_NAMES: Record<string, string> = {
  'loop.index': 'forloop.index',
  'loop.index0': 'forloop.index0',
  'loop.first': 'forloop.first',
  'loop.last': 'forloop.last',
  'loop.length': 'forloop.length',
  'forloop.counter': 'forloop.index',
  'forloop.counter0': 'forloop.index0',
};

/**
 * What a tag within loops means by a name of Jinja, Django or Handlebars, which Liquid would take for a missing value. `items` is what the
 * loops call their items: perhaps that name.
 */
export function loopNameAdvice(text: string, items: string[]): { what: string; advice: string } | undefined {
  const [, what, root] = /^(?:not\s+)?((loop|forloop|this)(?:\.\w+)*)(?![\w.[-])/.exec(text) ?? [];
  if (what === undefined || root === undefined || items.includes(root)) return undefined;
  const meant = root === 'this' ? items.at(-1)! + what.slice(root.length) : LOOP_NAMES[what];
  return meant === undefined ? undefined : { what, advice: `write ${meant}; a value of that name is profile.${what}` };
}
