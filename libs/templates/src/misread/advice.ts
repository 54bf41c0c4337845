import { INVISIBLE_CHARACTERS, JOINING_CHARACTERS, TYPOGRAPHIC_QUOTES } from './misread';

/** The kind of place where something was not understood. */
export type Place = 'output' | 'condition' | 'loop' | 'assign' | 'other';

type Rule = [meant: RegExp, advice: string];

const PATH = String.raw`([\p{L}_][\p{L}\p{N}_-]*(?:\.[\p{L}\p{N}_-]+)*)`;
const LITERAL = String.raw`"[^"]*"|'[^']*'|\d+`;

/** What rich text editors turn tags into. */
const EDITOR_RULES: Rule[] = [
  [/&(?:[a-z]+|#x?[\da-f]+);|<\/?[a-z]/i, 'remove the HTML from the tag'],
  [/%[\da-f]{2}/i, 'write it in plain characters, not percent-encoded'],
  [new RegExp(`[${TYPOGRAPHIC_QUOTES}]`), 'use straight quotes: "x" or \'x\''],
  [new RegExp(`[${INVISIBLE_CHARACTERS}${JOINING_CHARACTERS}]`), 'it contains an invisible character: type it again'],
];

const OUTPUT_RULES: Rule[] = [
  [new RegExp(`^${PATH}\\s*(?:\\?\\?|\\|\\||,|or\\b)?\\s*(["'])([^"'{}]*)\\2\\s*$`, 'u'), 'write $1 | default: "$3"'],
  [new RegExp(`^${PATH}\\s*(?:\\?\\?|\\|\\||,|or\\b)\\s*(\\d+)\\s*$`, 'u'), 'write $1 | default: $2'],
  [new RegExp(`^${PATH}\\s*(?:\\?\\?|\\|\\||,|or\\b|and\\b)`, 'u'), 'write $1 | default: "x"'],
  [new RegExp(`^\\.${PATH}\\s*$`, 'u'), 'write $1'],
  [new RegExp(`^${PATH}\\?\\.${PATH}\\s*$`, 'u'), 'write $1.$2'],
  [/^([\p{L}_][\p{L}\p{N}_]*)->([\p{L}_][\p{L}\p{N}_]*)\s*$/u, 'write $1.$2'],
  [new RegExp(`^(?:\\$\\{|(?:\\.\\./)+)${PATH}\\}?\\s*$`, 'u'), 'write $1'],
  [/\|\s*\w+\s*(?:\(|\s["'\d])/, 'the values of a filter follow a colon: name | default: "x"'],
];

const CALCULATION_RULE: Rule = [
  /[\w\])"']\s*[+*/%~-]\s*[\w("']/,
  'calculate with filters: price | plus: 1, or first | append: last',
];

/** Syntax of Handlebars, Mustache, Go and Jinja. */
const FOREIGN_SYNTAX_RULES: Rule[] = [
  [/^[{&]/, 'two braces are enough; to show html that the template built, write {{ html | raw }}'],
  [/^>/, 'a template cannot use others: put their content here'],
  [/^@\w/, 'write {{ forloop.index0 }}, {{ forloop.first }} or {{ forloop.last }}'],
  [/^!/, 'write {% comment %}…{% endcomment %}'],
  [/^(?:\^|#?unless\b)/, 'write {% unless name %}…{% endunless %}'],
  [/^#?if\b/, 'write {% if name %}…{% endif %}'],
  [/^(?:#|range\b|for\b)/, 'write {% for item in items %}…{% endfor %}'],
  [/^\//, 'write {% endif %} or {% endfor %}'],
  [/\?.*:|\sif\s.*\selse\s/, 'write {% if a %}b{% else %}c{% endif %}'],
];

const braced = ([meant, advice]: Rule): Rule => [meant, advice.replace(/^(write|.*colon:) (.*)/, '$1 {{ $2 }}')];

const ADVICE: Record<Place, Rule[]> = {
  output: [
    ...OUTPUT_RULES.map(braced),
    ...EDITOR_RULES,
    ...FOREIGN_SYNTAX_RULES,
    CALCULATION_RULE,
    [/^/, 'write {{ name }}, or with filters {{ name | default: "x" }}'],
  ],
  condition: [
    ...EDITOR_RULES,
    [/&&/, 'write {% if a and b %}'],
    [/\|\|/, 'write {% if a or b %}'],
    [/\|/, 'filter it before: {% assign count = list | size %}'],
    [/<>|!==/, 'write {% if a != b %}'],
    [/(?:^|[^=!<>])=(?!=)|===/, 'write {% if a == b %}'],
    [/\b(?:eq|ne|neq|lt|le|gt|ge|is)\b/, 'compare with ==, !=, < and >'],
    [/^!|\s!\s*\w/, 'write {% unless a %}, or {% if not a %}'],
    [/\bin\b/, 'write {% if list contains item %}'],
    [/->/, 'write {% if user.name %}'],
    [
      new RegExp(`^${PATH}\\s*==\\s*(${LITERAL})\\s*or\\s*(${LITERAL})\\s*$`, 'u'),
      'write {% if $1 == $2 or $1 == $3 %}',
    ],
    [/\b(?:and|or)\s*["'\d]/, 'compare each: {% if a == "x" or a == "y" %}'],
    [/[()]/, 'conditions have no brackets: put one {% if %} into another'],
    [/^/, 'write a value or a comparison: {% if total > 1 and name %}'],
  ],
  loop: [
    ...EDITOR_RULES,
    [/\|/, 'filter it before: {% assign sorted = items | sort %}'],
    [/\d\s*\.\./, 'a range is in brackets: (1..5)'],
    [/^/, 'write {% for item in items %}, optionally with limit: 3, offset: 1 or reversed'],
  ],
  assign: [
    ...OUTPUT_RULES,
    ...EDITOR_RULES,
    CALCULATION_RULE,
    [/^\[/, 'make lists with filters: "a,b" | split: ","'],
    [/^/, 'write {% assign name = value %}, optionally with filters'],
  ],
  other: [...EDITOR_RULES, [/^if\b/, 'write {% elsif name %}']],
};

/** So many characters of a tag are enough to tell what was meant. */
const MAX_MATCHED_LENGTH = 200;

/** How to write in Liquid what the text of a tag probably means. */
export function adviceFor(place: Place, text: string): string | undefined {
  for (const [meant, advice] of ADVICE[place]) {
    const found = meant.exec(text.slice(0, MAX_MATCHED_LENGTH));
    if (found) return advice.replace(/\$(\d)/g, (_, group: string) => found[Number(group)]!);
  }
  return undefined;
}
