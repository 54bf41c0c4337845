import { isTemplateFault, parseTemplate, type TemplateFault } from '../liquid.template';
import { positionOf, positionsIn } from '../tags';
import { finderIn, mjmlAttributes, type MjmlAttribute } from './mjml.attributes';
import { carouselFaults } from './mjml.carousel';
import { computedFaults } from './mjml.computed';
import { cutTagFaults } from './mjml.cut.tags';
import { passedLimit } from './mjml.limits';
import { splitFaults } from './mjml.split';
import { unclosedElements } from './mjml.unclosed';

/** Either html that mail programs understand, or why there is none. */
export type Compiled = { html: string } | { faults: TemplateFault[] };

/** One complaint of MJML, which knows the line but not the column. */
export interface MjmlError {
  line: number;
  tagName: string;
  message: string;
}

/** What this file needs of the mjml package. Callers pass it in, because loading it takes half a second. */
export type Mjml = (
  source: string,
  options: object,
) => Promise<{
  html: string;
  errors: MjmlError[];
}>;

interface Span {
  start: number;
  end: number;
}

/**
 * Includes are off: a template must not read files of this machine. So are the fonts that MJML loads from Google on its own, which would tell
 * Google who reads a mail. New for each document, because MJML adds its `<mj-font>` to the fonts.
 */
const mjmlOptions = () => ({
  ignoreIncludes: true,
  useMjmlConfigOptions: false,
  validationLevel: 'soft',
  keepComments: false,
  fonts: {},
});
const MAX_COMPILED_BYTES = 2 * 1024 * 1024;

/** Compiles an MJML source that may contain Liquid. Never throws; it returns faults with their places in the source. */
export async function compileMjml(mjml: Mjml, source: string): Promise<Compiled> {
  const parsed = parseTemplate(source, 'html');
  if (isTemplateFault(parsed)) return { faults: [parsed] };
  const passed = passedLimit(source);
  if (passed) return { faults: [{ ...positionOf(source, passed.start), detail: passed.detail }] };
  const compiled = await compileLimited(mjml, source);
  if ('html' in compiled) return compiled;
  const cut = cutTagFaults(source);
  return cut.length > 0 ? { faults: cut } : compiled;
}

async function compileLimited(mjml: Mjml, source: string): Promise<Compiled> {
  try {
    // A byte order mark is not part of the document.
    const { html, errors } = await mjml(source.replace(/^\uFEFF/, ' '), mjmlOptions());
    const elementFaults = [...errors.filter(isFault).map(faultOf), ...unclosedFaults(source)];
    // A faulty element loses its content, so misplaced tags can only be told once the elements are correct.
    const brokenFaults = elementFaults.length === 0 ? brokenTagFaults(source, html) : [];
    const faults = [...elementFaults, ...brokenFaults, ...includeFaults(source)];
    return faults.length > 0 ? { faults } : checkCompiled(html);
  } catch (error) {
    const faults = carouselFaults(source);
    if (faults.length > 0) return { faults };
    return { faults: [{ line: 1, column: 1, detail: `MJML: ${(error as Error).message}` }] };
  }
}

function brokenTagFaults(source: string, html: string): TemplateFault[] {
  const attributes = mjmlAttributes(source);
  const unfit = [...computedFaults(source, attributes, html), ...splitFaults(source, attributes, html)];
  const attributeAt = finderIn(attributes);
  const dropped = droppedTagFaults(source, html, attributeAt, (start) => unfit.length > 0 && !!attributeAt(start));
  return [...dropped, ...unfit];
}

/** MJML cannot check the type of an attribute whose value Liquid fills in or chooses, so such a complaint is no fault. */
function isFault({ message }: MjmlError): boolean {
  if (!message.includes(' has invalid value: ')) return true;
  return spans(message, '{{', '}}').length === 0 && spans(message, '{%', '%}').length === 0;
}

function faultOf({ line, tagName, message }: MjmlError): TemplateFault {
  return { line, column: 1, detail: `MJML, ${tagName}: ${message}` };
}

function unclosedFaults(source: string): TemplateFault[] {
  const positionAt = positionsIn(source);
  return unclosedElements(source).map(({ start, name }) => {
    const detail = `MJML: close <${name}> with </${name}>; otherwise its content is lost`;
    return { ...positionAt(start), detail };
  });
}

/**
 * MJML silently drops text outside of its text elements; a lost `{% for %}` would change the mail. If a tag occurs several times and only
 * some of them are lost, it is unknown which ones: the faults name each of its places.
 */
function droppedTagFaults(
  source: string,
  html: string,
  attributeAt: (start: number) => MjmlAttribute | undefined,
  isReported: (start: number) => boolean,
): TemplateFault[] {
  const compiledTags = placesByTag(html, [...spans(html, '{%', '%}'), ...spans(html, '{{', '}}')]);
  const tags = outsideOfComments(source, '{%', '%}').filter(({ start }) => !isReported(start));
  const positionAt = positionsIn(source);
  return [...placesByTag(source, [...tags, ...outputsInText(source)])].flatMap(([tag, starts]) => {
    const left = compiledTags.get(tag)?.length ?? 0;
    if (left >= starts.length) return [];
    const where = left === 0 ? 'at this place' : 'here or at another of its places';
    return starts.map((start) => {
      const detail = `MJML drops ${tag.slice(0, 80)} ${where}: ${adviceFor(attributeAt(start), left)}`;
      return { ...positionAt(start), detail };
    });
  });
}

function adviceFor(attribute: MjmlAttribute | undefined, left: number): string {
  if (attribute) return `write one value for ${attribute.name}, as MJML may read it itself`;
  return left === 0 ? 'put it into <mj-raw>' : 'put the ones outside of texts into <mj-raw>';
}

/** Outputs in text. Those in attributes and styles may be lost without harm, as MJML drops unused ones as a whole. */
function outputsInText(source: string): Span[] {
  const text = blankOut(blankOut(source, '<mj-style', '</mj-style>'), '<', '>');
  return outsideOfComments(source, '{{', '}}').filter(({ start }) => text[start] === '{');
}

function blankOut(text: string, open: string, close: string): string {
  let at = 0;
  const pieces = spans(text, open, close).map(({ start, end }) => {
    const before = text.slice(at, start);
    at = end;
    return before + ' '.repeat(end - start);
  });
  return [...pieces, text.slice(at)].join('');
}

function placesByTag(text: string, found: Span[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const { start, end } of found) {
    const tag = text.slice(start, end);
    const known = places.get(tag);
    if (known) known.push(start);
    else places.set(tag, [start]);
  }
  return places;
}

/**
 * MJML, to which upper and lower case are the same, silently leaves includes out when it may not read files; the mail would lack its
 * footer, for example.
 */
function includeFaults(source: string): TemplateFault[] {
  const detail = 'MJML: mj-include is not supported; put the content here';
  const positionAt = positionsIn(source);
  const inLowerCase = source.replace(/<mj-include/gi, '<mj-include');
  return outsideOfComments(inLowerCase, '<mj-include', '>').map(({ start }) => ({ ...positionAt(start), detail }));
}

function outsideOfComments(source: string, open: string, close: string): Span[] {
  const text = blankOut(source, '<!--', '-->');
  return spans(source, open, close).filter(({ start }) => text[start] === source[start]);
}

/** Spans from an opening to its closing mark, without overlap. Takes linear time, which a regular expression would not. */
function spans(text: string, open: string, close: string): Span[] {
  const found: Span[] = [];
  for (let start = text.indexOf(open); start !== -1;) {
    const closing = text.indexOf(close, start + open.length);
    if (closing === -1) break;
    found.push({ start, end: closing + close.length });
    start = text.indexOf(open, closing + close.length);
  }
  return found;
}

function checkCompiled(html: string): Compiled {
  if (Buffer.byteLength(html) > MAX_COMPILED_BYTES) {
    return { faults: [{ line: 1, column: 1, detail: 'the html made from this MJML is larger than 2 MiB' }] };
  }
  const parsed = parseTemplate(html, 'html');
  if (!isTemplateFault(parsed)) return { html };
  return { faults: [{ line: 1, column: 1, detail: `in the html made from this MJML: ${parsed.detail}` }] };
}
