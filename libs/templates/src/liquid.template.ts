import { toValueSync, type Liquid, type LiquidError, type Template } from 'liquidjs';
import { engineOf, MailContext } from './liquid.engine';
import { BoundedEmitter, LimitExceeded, type RenderBudget } from './liquid.limits';
import { NothingTold } from './liquid.shown';
import { MAX_NESTING, tooDeepAt } from './nesting';
import { holdsTag, positionOf, surveyTags, type TemplateKind } from './tags';
import type { TemplateData, TemplateInput } from './template.input';

/** Parsing time grows faster than the number of tags: 10,000 take about 0.1 s. */
const MAX_TAGS = 10_000;
const MAX_DETAIL_LENGTH = 300;

/** Where and why a template does not parse, or fails with its data. Lines and columns count from 1. */
export interface TemplateFault {
  line: number;
  column: number;
  detail: string;
}

/** Why a message ends `failed` (codes of the reason table). */
export interface RenderFailure {
  code: 'render_error' | 'render_limit';
  detail: string;
  /** The time limit was exceeded. Other messages of the same template are likely to exceed it, too. */
  outOfTime?: true;
}

/** A template ready to be rendered: its nodes, or the text itself if it has no tags. */
export interface ParsedTemplate {
  kind: TemplateKind;
  nodes: Template[] | string;
}

export function isTemplateFault(result: ParsedTemplate | TemplateFault): result is TemplateFault {
  return 'detail' in result;
}

/** Whether it has more tags than a template may have. Takes linear time. */
export function hasTooManyTags(text: string): boolean {
  return surveyTags(text).tags > MAX_TAGS;
}

/** Refuses a text that must not be parsed at all: that would take too long, or overflow the stack. */
export function limitFault(text: string): TemplateFault | undefined {
  if (hasTooManyTags(text)) return { line: 1, column: 1, detail: `there are more than ${MAX_TAGS} tags` };
  const deep = tooDeepAt(text);
  if (deep < 0) return undefined;
  return { ...positionOf(text, deep), detail: `tags are nested more than ${MAX_NESTING} deep` };
}

/** Parses one part. Never throws: it returns where and why a template does not parse. `isWithinLimit`: `limitFault` was called already. */
export function parseTemplate(text: string, kind: TemplateKind, isWithinLimit = false): ParsedTemplate | TemplateFault {
  if (!holdsTag(text)) return { kind, nodes: text };
  const fault = isWithinLimit ? undefined : limitFault(text);
  if (fault) return fault;
  try {
    return { kind, nodes: engineOf(kind).parse(text) };
  } catch (error) {
    return faultOf(error);
  }
}

/**
 * Renders one part. Throws `LimitExceeded` or a Liquid error, which may have that as its cause; `renderFailure` tells them apart.
 */
export function renderTemplate(parsed: ParsedTemplate, input: TemplateInput, budget: RenderBudget): string {
  if (typeof parsed.nodes === 'string') return parsed.nodes;
  const engine: Liquid = engineOf(parsed.kind);
  const context = new MailContext(engine, environmentOf(input.data), input, budget);
  const emitter = new BoundedEmitter(budget.outputBytes, context.show);
  toValueSync(engine.renderer.renderTemplates(parsed.nodes, context, emitter));
  return emitter.buffer;
}

/** The reserved roots, which hide profile keys of the same name; without a prototype, and new for each rendering. */
function environmentOf(data: TemplateData): object {
  const environment = Object.create(null) as Record<string, unknown>;
  environment.profile = data.profile;
  environment.contact = data.contact;
  environment.campaign = data.campaign;
  environment.message = data.message;
  // Without a profile key of that name, Liquid would return the number of keys.
  if (!Object.hasOwn(data.profile, 'size')) environment.size = undefined;
  return environment;
}

/** Why a rendering failed, as a reason of the message: `render_limit` if it exceeded a limit. */
export function renderFailure(thrown: unknown, kind: TemplateKind): RenderFailure {
  const error = thrown as Partial<LiquidError>;
  const cause: unknown = error.originalError ?? thrown;
  const { line, column, detail } = faultOf(thrown);
  const where = error.token ? `${kind}, line ${line}, column ${column}` : kind;
  if (cause instanceof NothingTold) {
    const output = error.token!.getText().slice(0, MAX_DETAIL_LENGTH);
    return { code: 'render_error', detail: `${where}: ${cause.explain(output)}` };
  }
  if (!(cause instanceof LimitExceeded)) return { code: 'render_error', detail: `${where}: ${detail}` };
  const outOfTime = cause.limit === 'time' ? { outOfTime: true as const } : {};
  return { code: 'render_limit', detail: `${where}: ${detail}`, ...outOfTime };
}

function faultOf(thrown: unknown): TemplateFault {
  const error = thrown as Partial<LiquidError> & Error;
  const [line, column] = error.token?.getPosition() ?? [1, 1];
  const message = error.originalError?.message ?? error.message;
  // Liquid's tokeniser appends the place to its own messages.
  const suffix = `, line:${line}, col:${column}`;
  const detail = message.endsWith(suffix) ? message.slice(0, -suffix.length) : message;
  return { line: line!, column: column!, detail: detail.slice(0, MAX_DETAIL_LENGTH) };
}
