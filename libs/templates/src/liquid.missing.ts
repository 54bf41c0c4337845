import { EchoTag, Output, Parser, type Context, type TopLevelToken, type Value } from 'liquidjs';
import { isMissing, MissingShown } from './liquid.shown';

/** A value as Liquid computes it, but a strict rendering fails where a filter finds nothing, unless `default` follows. */
function* valueToShow(this: Value, context: Context): Generator<unknown, unknown, unknown> {
  const { initial, filters } = this;
  let value: unknown = yield initial.evaluate(context, filters[0]?.name === 'default');
  for (const [index, filter] of filters.entries()) {
    value = yield filter.render(value, context);
    // A `default` may name nothing itself: `default: nil`.
    const isProvidedFor = filter.name === 'default' || filters[index + 1]?.name === 'default';
    if (context.strictVariables && isMissing(value) && !isProvidedFor) throw new MissingShown();
  }
  return value;
}

/** Liquid checks only variables. This looks after what is shown; tags such as `if` and `assign` may refer to missing values. */
export class MailParser extends Parser {
  override parseToken(token: TopLevelToken, remaining: TopLevelToken[]): ReturnType<Parser['parseToken']> {
    const template = super.parseToken(token, remaining);
    if (template instanceof Output || template instanceof EchoTag) {
      const { value } = template as unknown as { value?: Value };
      if (value) value.value = valueToShow;
    }
    return template;
  }
}
