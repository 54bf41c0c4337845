import { LRUCache } from 'lru-cache';
import { RenderBudget, RENDER_LIMITS, type RenderLimits } from '../liquid.limits';
import {
  isTemplateFault,
  parseTemplate,
  renderFailure,
  renderTemplate,
  type ParsedTemplate,
  type RenderFailure,
  type TemplateFault,
} from '../liquid.template';
import { holdsTag, surveyTags, type TemplateKind } from '../tags';
import { plainTextOf } from './plain.text';
import { isOutOfTime, type Rendered, type RenderJob, type RenderOutcome } from './render.job';

const MAX_SUBJECT_LENGTH = 255;
const LINE_BREAKS_AND_CONTROLS = /[\u0000-\u001f\u007f\u0085\u2028\u2029]+/g;
/** What parsing makes of a tag takes about so many bytes, and so many more for each character inside it. */
const BYTES_PER_TAG = 1000;
const BYTES_PER_TAG_CHARACTER = 24;
/** A thread that keeps more than its heap bears slows down at first, so that messages fail by their time limit, and then ends. */
const CACHE_BYTES = 32 * 1024 * 1024;

/** Replaces half surrogate pairs, which filters may leave and UTF-8 cannot express. */
function wellFormed(text: string): string {
  return (text as string & { toWellFormed(): string }).toWellFormed();
}

function parsedBytes(source: string): number {
  const { tags, weight } = surveyTags(source);
  return tags * BYTES_PER_TAG + weight * BYTES_PER_TAG_CHARACTER;
}

/** Mail programs prefer the html, so a blank one would hide the text. */
function isBlank(html: string | undefined): boolean {
  return html?.trim() === '';
}

/** Renders messages one after another and caches parsed templates. Pure except for the clock of its time limit. */
export class MailRenderer {
  private readonly parsedTemplates = new LRUCache<string, ParsedTemplate | TemplateFault>({ maxSize: CACHE_BYTES });
  private lastHtml = '';
  private lastText = '';

  constructor(private readonly limits: RenderLimits = RENDER_LIMITS) {}

  /** Never throws because of a template or its data. */
  render(job: RenderJob, limits: RenderLimits = this.limits): RenderOutcome {
    const first = this.attempt(job, limits);
    // If the machine was paused, that is not the template's fault: a message that exceeds the time limit gets a second try.
    return isOutOfTime(first) ? this.attempt(job, limits) : first;
  }

  private attempt(job: RenderJob, limits: RenderLimits): RenderOutcome {
    const budget = new RenderBudget(limits, performance.now());
    let kind: TemplateKind = 'subject';
    try {
      const subject = this.renderPart(job, kind, budget) ?? '';
      const html = this.renderPart(job, (kind = 'html'), budget);
      const text = this.renderPart(job, (kind = 'text'), budget) ?? this.textFrom(html);
      return this.finish({ subject, text, html: isBlank(html) && text ? undefined : html });
    } catch (error) {
      return renderFailure(error, kind);
    }
  }

  private renderPart(job: RenderJob, kind: TemplateKind, budget: RenderBudget): string | undefined {
    const source = job[kind];
    if (source === undefined) return undefined;
    const parsed = this.parse(source, kind);
    if (isTemplateFault(parsed)) throw new Error(`line ${parsed.line}, column ${parsed.column}: ${parsed.detail}`);
    return wellFormed(renderTemplate(parsed, job, budget));
  }

  private parse(source: string, kind: TemplateKind): ParsedTemplate | TemplateFault {
    // Nothing is to be parsed. Kept, a short text would take many times its characters, and calls may bring another subject each.
    if (!holdsTag(source)) return parseTemplate(source, kind);
    const key = (kind === 'html' ? 'h' : 'p') + source;
    let parsed = this.parsedTemplates.get(key);
    if (!parsed) {
      parsed = parseTemplate(source, kind);
      this.parsedTemplates.set(key, parsed, { size: key.length + parsedBytes(source) });
    }
    return parsed;
  }

  /**
   * All recipients of a template without tags share one conversion. None if nothing is left of the html, such as of an image: mail programs
   * that prefer a text would show an empty mail.
   */
  private textFrom(html: string | undefined): string | undefined {
    if (html === undefined) return undefined;
    if (isBlank(html)) return '';
    if (html !== this.lastHtml) {
      this.lastText = plainTextOf(html);
      this.lastHtml = html;
    }
    return this.lastText || undefined;
  }

  private finish({ subject, text, html }: Rendered): RenderOutcome {
    const line = subject.replace(LINE_BREAKS_AND_CONTROLS, ' ').trim();
    if (line.length > MAX_SUBJECT_LENGTH && [...line].length > MAX_SUBJECT_LENGTH) {
      return { code: 'render_error', detail: `subject: it is longer than ${MAX_SUBJECT_LENGTH} characters` };
    }
    return this.tooLarge('text', text) ?? this.tooLarge('html', html) ?? { subject: line, text, html };
  }

  private tooLarge(kind: TemplateKind, body: string | undefined): RenderFailure | undefined {
    const limit = this.limits.outputBytes;
    if (body === undefined || Buffer.byteLength(body) <= limit) return undefined;
    return { code: 'render_limit', detail: `${kind}: the output is larger than ${limit} bytes` };
  }
}
