import { Context, filters, Liquid, type Template } from 'liquidjs';
import { HTML_TAGS } from './liquid.html.tags';
import { ESCAPING_FILTERS, HtmlVariables } from './liquid.html';
import { BoundedEmitter, type RenderBudget } from './liquid.limits';
import { MailParser } from './liquid.parser';
import { refuseGaps, shownValue } from './liquid.shown';
import type { TemplateKind } from './tags';
import type { TemplateInput } from './template.input';

/** Tags that would read other templates. There are none, and no file system to read them from. */
const INCLUDING_TAGS = ['include', 'render', 'layout', 'block'];
/** `sample` is random: a message that is rendered twice would differ. */
const RANDOM_FILTERS = ['sample'];
/** Filters that join the items of a list to one text. */
const JOINING_FILTERS = ['join', 'array_to_sentence_string'];
/** Filters that turn any input into text. */
const TEXT_FILTERS = [
  'append',
  'prepend',
  'upcase',
  'downcase',
  'capitalize',
  'lstrip',
  'rstrip',
  'strip',
  'strip_newlines',
  'squish',
  'remove',
  'remove_first',
  'remove_last',
  'replace',
  'replace_first',
  'replace_last',
  'truncate',
  'truncatewords',
  'normalize_whitespace',
  'number_of_words',
  'split',
  'slugify',
  'escape',
  'escape_once',
  'xml_escape',
  'strip_html',
  'newline_to_br',
  'url_encode',
  'url_decode',
  'uri_escape',
  'cgi_escape',
  'base64_encode',
  'sha256',
  'hmac_sha256',
];
const CALCULATING_FILTERS = ['plus', 'minus', 'times', 'divided_by', 'modulo'];
const DATE_FILTERS = ['date', 'date_to_xmlschema', 'date_to_rfc822', 'date_to_string', 'date_to_long_string'];
/** A compiled MJML body is at most 2 MiB, a body as sent at most 1 MiB (docs/send.md 9). */
const MAX_TEMPLATE_CHARACTERS = 2 * 1024 * 1024 + 1;

/** A rendering in progress. `now` does not change, so that a message that is rendered again is the same. */
export class MailContext extends Context {
  readonly now: number;
  /** What is shown for a value that becomes text. */
  readonly show: (value: unknown) => unknown;
  readonly html = new HtmlVariables(this as never);

  constructor(
    engine: Liquid,
    environment: object,
    { data, now, strict = false }: TemplateInput,
    readonly budget: RenderBudget,
  ) {
    const limiters = { memoryLimit: budget.memory, renderLimit: budget.time, liquid: engine };
    const options = { sync: true, globals: data.profile, strictVariables: strict };
    super(environment, engine.options, options, limiters as never);
    this.now = now;
    this.show = (value) => shownValue(value, budget.memory, strict);
  }

  /** In a strict rendering null counts as missing, unless the template itself assigned it. */
  override readProperty(...[object, key]: Parameters<Context['readProperty']>): unknown {
    const value: unknown = super.readProperty(object, key);
    return value === null && this.strictVariables && object !== this.bottom() ? undefined : value;
  }

  escape(value: unknown): unknown {
    return escapeFilter.call({ context: this }, this.show(value));
  }

  /** What is shown for each item of a list that becomes one text. */
  showItems(list: unknown[]): unknown[] {
    if (this.strictVariables) refuseGaps(list);
    return list.map(this.show);
  }
}

/** What V8 reads as a time zone after a time: an offset or a name, perhaps followed by a comment. */
const TIME_ZONE = /(?:\d\s*z|[\d:.]\s*[+-]\d{2}:?\d{2}|\b(?:utc?|gmt|[ecmp][sd]t)\b[^)]*)(?:\s*\([^)]*\))?\s*$/i;

/** No valid time is longer. */
const MAX_TIME_LENGTH = 100;

/** Makes a time without a time zone one of UTC; otherwise it would be one of the machine's zone. */
export function inUtc(text: string): string {
  // A number is seconds since the epoch.
  if (text.length > MAX_TIME_LENGTH || /^\d+$/.test(text) || TIME_ZONE.test(text)) return text;
  return [`${text}Z`, `${text} UTC`].find((zoned) => !Number.isNaN(Date.parse(zoned))) ?? text;
}

type Filter = (this: { context: MailContext }, value: unknown, ...rest: unknown[]) => unknown;

const escapeFilter = filters.escape as unknown as Filter;

/** Formats of strftime that Liquid has, but LiquidJS would print as they are. */
const DATE_SHORTHANDS: Record<string, string> = {
  '%D': '%m/%d/%y',
  '%F': '%Y-%m-%d',
  '%R': '%H:%M',
  '%T': '%H:%M:%S',
  '%r': '%I:%M:%S %p',
};

function expandDateShorthands(engine: Liquid): void {
  const filter = engine.filters.date as unknown as Filter;
  const spelledOut: Filter = function (value, format, ...rest) {
    if (typeof format !== 'string') return filter.call(this, value, format, ...rest);
    // `%%` is a literal percent sign.
    const long = format.replace(/%[%DFRTr]/g, (form) => DATE_SHORTHANDS[form] ?? form);
    return filter.call(this, value, long, ...rest);
  };
  engine.registerFilter('date', spelledOut as never);
}

function showObjectsAsJson(engine: Liquid): void {
  const register = (name: string, reading: (value: unknown, context: MailContext) => unknown) => {
    const filter = engine.filters[name] as unknown as Filter;
    const showing: Filter = function (value, ...rest) {
      return filter.call(this, reading(value, this.context), ...rest.map(this.context.show));
    };
    engine.registerFilter(name, showing as never);
  };
  for (const name of TEXT_FILTERS) register(name, (value, context) => context.show(value));
  for (const name of JOINING_FILTERS) {
    register(name, (value, context) => (Array.isArray(value) ? context.showItems(value) : context.show(value)));
  }
}

/** JavaScript would show `Infinity` or `NaN` for a division by zero. */
function refuseNonNumbers(engine: Liquid): void {
  for (const name of CALCULATING_FILTERS) {
    const filter = engine.filters[name] as unknown as Filter;
    const calculating: Filter = function (...values) {
      const result = filter.apply(this, values);
      if (!Number.isFinite(result)) throw new Error(`the result of ${name} is not a number`);
      return result;
    };
    engine.registerFilter(name, calculating as never);
  }
}

/** Escapes a value in html. */
const escaped: Filter = function (value) {
  return this.context.escape(value);
};

function pinClock(engine: Liquid): void {
  for (const name of DATE_FILTERS) {
    const filter = engine.filters[name] as unknown as Filter;
    const pinned: Filter = function (value, ...rest) {
      if (value === 'now' || value === 'today') return filter.call(this, new Date(this.context.now), ...rest);
      return filter.call(this, typeof value === 'string' ? inUtc(value) : value, ...rest);
    };
    engine.registerFilter(name, pinned as never);
  }
}

/** Limits what a tag collects (`capture`), too, and counts it as memory. */
function boundOutput(engine: Liquid): void {
  const { renderer } = engine;
  const original = renderer.renderTemplates.bind(renderer);
  function* capture(templates: Template[], context: MailContext) {
    const { budget, show } = context;
    const collected = new BoundedEmitter(budget.outputBytes, show, budget.memory);
    yield original(templates, context, collected);
    return collected.buffer;
  }
  renderer.renderTemplates = (templates: Template[], context: Context, emitter) =>
    emitter ? original(templates, context, emitter) : capture(templates, context as MailContext);
}

/** Marks the output of a filter as escaped, so that it is not escaped again unless another filter follows. */
function markEscaped(engine: Liquid, name: string): void {
  engine.registerFilter(name, { handler: engine.filters[name] as never, raw: true } as never);
}

function makeEngine(escape: boolean): Liquid {
  const engine = new Liquid({
    ownPropertyOnly: true,
    strictFilters: true,
    // In a strict rendering, testing whether a value exists, or giving a default for it, is no fault.
    lenientIf: true,
    templates: {},
    outputEscape: escape ? (escaped as never) : undefined,
    parseLimit: MAX_TEMPLATE_CHARACTERS,
    timezoneOffset: 0,
    locale: 'en-US',
  });
  for (const name of INCLUDING_TAGS) delete engine.tags[name];
  for (const name of RANDOM_FILTERS) engine.unregisterFilter(name);
  showObjectsAsJson(engine);
  if (escape) {
    for (const name of ESCAPING_FILTERS) markEscaped(engine, name);
    for (const [name, tag] of Object.entries(HTML_TAGS)) engine.registerTag(name, tag);
  }
  refuseNonNumbers(engine);
  expandDateShorthands(engine);
  pinClock(engine);
  boundOutput(engine);
  engine.parse = (text) => new MailParser(engine).parse(text);
  return engine;
}

const htmlEngine = makeEngine(true);
const plainEngine = makeEngine(false);

/** Our dialect of Liquid: own properties only, no other templates, unknown filters refused, times in UTC. */
export function engineOf(kind: TemplateKind): Liquid {
  return kind === 'html' ? htmlEngine : plainEngine;
}
