import { TokenizationError, Tokenizer, TypeGuards, type TagToken, type TopLevelToken } from 'liquidjs';
import type { TemplateFault } from '../liquid.template';
import { tokensOf, VerbatimText } from '../nesting';
import { positionOf, type TemplateKind } from '../tags';
import { adviceFor, type Place } from './advice';
import { encodedBraces } from './encoded.braces';
import { loopNameAdvice, TAG_ADVICE } from './foreign.names';
import { Misread, type Finding } from './misread';
import { TAG_CHECKS } from './tag.checks';
import { checkValue } from './value.checks';

const MAX_FAULTS = 20;
const MAX_SHOWN_LENGTH = 60;
/** Tags that can have an `else`. */
const BRANCHING_TAGS = ['if', 'unless', 'for', 'case'];

type Delimited = Pick<TagToken, 'input' | 'contentRange' | 'content' | 'begin'>;

/** What Liquid would parse, but not with the intended meaning: an empty password reset link is worse than a refusal. */
export function misreadsIn(text: string, kind: TemplateKind): TemplateFault[] {
  const walk = new TemplateWalk(text, kind);
  for (const token of tokensOf(text)) {
    walk.visit(token);
    if (walk.findings.length >= MAX_FAULTS) break;
  }
  return walk.findings
    .slice(0, MAX_FAULTS)
    .map(({ at, what, advice }) => ({ ...positionOf(text, at), detail: detailOf(what.trim(), advice) }));
}

function detailOf(what: string, advice: string | undefined): string {
  const shown = what.length > MAX_SHOWN_LENGTH ? `${what.slice(0, MAX_SHOWN_LENGTH)}…` : what;
  return `«${shown}» is not understood${advice === undefined ? '' : `; ${advice}`}`;
}

class TemplateWalk {
  readonly findings: Finding[] = [];
  private readonly verbatim = new VerbatimText();
  private openBranches = 0;
  /** What the open loops call their items. */
  private readonly items: string[] = [];

  constructor(
    private readonly text: string,
    private readonly kind: TemplateKind,
  ) {}

  visit(token: TopLevelToken): void {
    if (TypeGuards.isTagToken(token)) this.tag(token);
    else if (this.verbatim.isOpen) return;
    else if (TypeGuards.isOutputToken(token)) this.output(token);
    else if (this.kind === 'html') this.findings.push(...encodedBraces(this.text, token.begin, token.end));
  }

  private output({ input, contentRange, content, begin }: Delimited): void {
    // Outside of such blocks it may be a value of that name.
    if (content === 'else' && this.openBranches > 0) {
      const advice = 'write {% else %}; a value of that name is {{ profile.else }}';
      this.findings.push({ at: begin, what: '{{ else }}', advice });
      return;
    }
    const value = new Tokenizer(input, undefined, undefined, contentRange);
    if (!this.isLoopName(content, begin)) this.check('output', content, () => checkValue(value));
  }

  private tag({ name, tokenizer, args, begin }: TagToken): void {
    if (this.verbatim.covers(name)) return;
    const advice = TAG_ADVICE.get(name);
    if (advice !== undefined) this.findings.push({ at: begin, what: name, advice });
    else if (name === 'liquid') this.lines(tokenizer);
    else {
      if (BRANCHING_TAGS.includes(name)) this.openBranches += 1;
      else if (BRANCHING_TAGS.includes(name.replace(/^end/, ''))) this.openBranches -= 1;
      const tagCheck = TAG_CHECKS.get(name);
      const value = name === 'assign' ? args.replace(/^[^=]*=\s*/, '') : args;
      if (tagCheck && !this.isLoopName(value, begin))
        this.check(tagCheck.place, value, () => tagCheck.check(tokenizer));
      if (name === 'for') this.items.push(/^[\w-]*/.exec(args)![0]);
      else if (name === 'endfor') this.items.pop();
    }
  }

  /** Whether a value within a loop has a name that only other languages give it; a loop may use that name itself. */
  private isLoopName(text: string, at: number): boolean {
    const found = this.items.length > 0 ? loopNameAdvice(text, this.items) : undefined;
    if (found) this.findings.push({ at, ...found });
    return found !== undefined;
  }

  /** Each line of a `liquid` tag is a tag. */
  private lines(tokenizer: Tokenizer): void {
    try {
      for (const line of tokenizer.readLiquidTagTokens()) this.tag(line as unknown as TagToken);
    } catch {
      // It does not parse; Liquid reports why.
    }
  }

  private check(place: Place, text: string, read: () => void): void {
    try {
      read();
    } catch (error) {
      if (error instanceof Misread) {
        this.findings.push({ at: error.at, what: error.what, advice: error.advice ?? adviceFor(place, text) });
      } else if (error instanceof TokenizationError) {
        const advice = adviceFor(place, text);
        const what = error.token.getText();
        // Without advice, Liquid's own message says more.
        if (advice !== undefined && what !== '') this.findings.push({ at: error.token.begin, what, advice });
      } else throw error;
    }
  }
}
