import { EchoTag, Output, Parser, type Filter, type Liquid, type TopLevelToken, type Value } from 'liquidjs';
import { escapedUnlessHtml, evaluation, unchanged } from './liquid.values';

const shown = evaluation(true, unchanged);
const shownInHtml = evaluation(true, escapedUnlessHtml);

/** Looks after what is shown: a strict rendering misses what filters do not find, and html is not escaped again. */
export class MailParser extends Parser {
  constructor(private readonly engine: Liquid) {
    super(engine);
  }

  override parseToken(token: TopLevelToken, remaining: TopLevelToken[]): ReturnType<Parser['parseToken']> {
    const template = super.parseToken(token, remaining);
    if (template instanceof Output || template instanceof EchoTag) {
      const { value } = template as unknown as { value?: Value };
      if (!value) return template;
      this.show(value);
      if (template instanceof EchoTag) template.render = Output.prototype.render as never;
    }
    return template;
  }

  /** Liquid's own escaping, which knows nothing of html, is left out: it comes last among the filters of an output. */
  private show(value: Value): void {
    const escape = this.engine.options.outputEscape;
    const last = value.filters.at(-1);
    if (escape && handlerOf(last) === escape) value.filters.pop();
    value.value = escape && !last?.raw ? shownInHtml : shown;
  }
}

function handlerOf(filter: Filter | undefined): unknown {
  return (filter as { handler?: unknown } | undefined)?.handler;
}
