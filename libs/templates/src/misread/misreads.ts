import { TokenizationError, Tokenizer, TypeGuards, type TagToken, type TopLevelToken } from 'liquidjs';
import type { TemplateFault } from '../liquid.template';
import { tokensOf, Verbatim } from '../nesting';
import { positionOf, type TemplateKind } from '../tags';
import { adviceFor, type Place } from './advice';
import { encodedBraces } from './encoded.braces';
import { Misread, type Finding } from './misread';
import { TAG_CHECKS } from './tag.checks';
import { checkValue } from './values';

const MOST_FAULTS = 20;
const MOST_SHOWN = 60;
/** Tags that can have an `else`. */
const BRANCHING = ['if', 'unless', 'for', 'case'];

type Delimited = Pick<TagToken, 'input' | 'contentRange' | 'content' | 'begin'>;

/** What Liquid would parse, but not with the intended meaning: an empty password reset link is worse than a refusal. */
export function misreadsIn(text: string, kind: TemplateKind): TemplateFault[] {
  const walk = new Walk(text, kind);
  for (const token of tokensOf(text)) {
    walk.see(token);
    if (walk.found.length >= MOST_FAULTS) break;
  }
  return walk.found
    .slice(0, MOST_FAULTS)
    .map(({ at, what, advice }) => ({ ...positionOf(text, at), detail: detailOf(what.trim(), advice) }));
}

function detailOf(what: string, advice: string | undefined): string {
  const shown = what.length > MOST_SHOWN ? `${what.slice(0, MOST_SHOWN)}…` : what;
  return `«${shown}» is not understood${advice === undefined ? '' : `; ${advice}`}`;
}

class Walk {
  readonly found: Finding[] = [];
  private readonly verbatim = new Verbatim();
  private branching = 0;

  constructor(
    private readonly text: string,
    private readonly kind: TemplateKind,
  ) {}

  see(token: TopLevelToken): void {
    if (TypeGuards.isTagToken(token)) this.tag(token);
    else if (this.verbatim.isOpen) return;
    else if (TypeGuards.isOutputToken(token)) this.output(token);
    else if (this.kind === 'html') this.found.push(...encodedBraces(this.text, token.begin, token.end));
  }

  private output({ input, contentRange, content, begin }: Delimited): void {
    // Outside of such blocks it may be a value of that name.
    if (content === 'else' && this.branching > 0) {
      const advice = 'write {% else %}; a value of that name is {{ profile.else }}';
      this.found.push({ at: begin, what: '{{ else }}', advice });
      return;
    }
    const value = new Tokenizer(input, undefined, undefined, contentRange);
    this.check('output', content, () => checkValue(value, { shown: true }));
  }

  private tag({ name, tokenizer, args }: TagToken): void {
    if (this.verbatim.covers(name)) return;
    if (name === 'liquid') this.lines(tokenizer);
    else {
      if (BRANCHING.includes(name)) this.branching += 1;
      else if (BRANCHING.includes(name.replace(/^end/, ''))) this.branching -= 1;
      const known = TAG_CHECKS.get(name);
      const value = name === 'assign' ? args.replace(/^[^=]*=\s*/, '') : args;
      if (known) this.check(known.place, value, () => known.check(tokenizer));
    }
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
        this.found.push({ at: error.at, what: error.what, advice: error.advice ?? adviceFor(place, text) });
      } else if (error instanceof TokenizationError) {
        const advice = adviceFor(place, text);
        const what = error.token.getText();
        // Without advice, Liquid's own message says more.
        if (advice !== undefined && what !== '') this.found.push({ at: error.token.begin, what, advice });
      } else throw error;
    }
  }
}
