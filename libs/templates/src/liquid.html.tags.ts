import { AssignTag, CaptureTag, CycleTag, Value, type Context, type Liquid } from 'liquidjs';
import type { MailContext } from './liquid.engine';
import { ESCAPING_FILTERS } from './liquid.html';
import { escapedUnlessHtml, evaluation } from './liquid.values';

/** What is captured is html: the values in it have been escaped. */
class HtmlCapture extends CaptureTag {
  override *render(context: Context): Generator<unknown, void, string> {
    yield* super.render(context);
    (context as MailContext).html.note(this.variable, true);
  }
}

/** What is assigned is html if it was, or if the template has escaped it. */
class HtmlAssign extends AssignTag {
  constructor(...tag: ConstructorParameters<typeof AssignTag>) {
    super(...tag);
    const { key, value } = this as unknown as { key: string; value: Value };
    value.value = evaluation(false, (result, isHtml, context) => {
      context.html.note(key, isHtml);
      return result;
    });
  }
}

/** What `cycle` makes a value of, each time that it shows it. */
interface Candidate {
  initial: Pick<Value['initial'], 'evaluate'>;
  filters: { name: string; args: never[] }[];
  getText(): string;
}

const cycled = evaluation(false, escapedUnlessHtml);
const RAW = { name: 'raw', args: [] };

/** The same value, which escapes itself, so that Liquid does not. Like Liquid, it misses a filter that there is not only when it is shown. */
function escapingItself(candidate: Candidate, engine: Liquid): Candidate {
  const last = candidate.filters.at(-1)?.name ?? '';
  if (last === 'raw' || ESCAPING_FILTERS.includes(last)) return candidate;
  let value: Value | undefined;
  const initial = {
    evaluate: (context: Context) => cycled.call((value ??= new Value(candidate as never, engine)), context),
  };
  return { initial, filters: [RAW], getText: () => candidate.getText() };
}

class HtmlCycle extends CycleTag {
  constructor(...tag: ConstructorParameters<typeof CycleTag>) {
    super(...tag);
    const inside = this as unknown as { candidates: Candidate[]; liquid: Liquid };
    inside.candidates = inside.candidates.map((candidate) => escapingItself(candidate, inside.liquid));
  }
}

/** The tags that make html or show it, for templates of html. `HtmlVariables` says what for. */
export const HTML_TAGS = { capture: HtmlCapture, assign: HtmlAssign, cycle: HtmlCycle };
