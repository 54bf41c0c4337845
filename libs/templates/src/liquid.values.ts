import type { Context, Value } from 'liquidjs';
import type { MailContext } from './liquid.engine';
import { isMissing, MissingShown } from './liquid.shown';

/** What becomes of a value after its filters. `isHtml`: the template made it, so that nothing in it is to be escaped. */
export type Ending = (value: unknown, isHtml: boolean, context: MailContext) => unknown;

export const unchanged: Ending = (value) => value;
export const escapedUnlessHtml: Ending = (value, isHtml, context) => (isHtml ? value : context.escape(value));

/**
 * How a value is computed. Liquid checks only whether its variable is missing; where the value `isShown`, a strict rendering also fails if a
 * filter finds nothing, unless `default` follows.
 */
export function evaluation(isShown: boolean, ending: Ending): Value['value'] {
  return function* (this: Value, plainContext: Context, lenient = false): Generator<unknown, unknown, unknown> {
    const context = plainContext as MailContext;
    const { initial, filters } = this;
    const isChecked = isShown && context.strictVariables;
    let value: unknown = yield initial.evaluate(context, lenient || filters[0]?.name === 'default');
    let isHtml = context.html.isHtml(initial);
    for (let index = 0; index < filters.length; index += 1) {
      const filter = filters[index]!;
      const before = value;
      value = yield filter.render(before, context);
      isHtml = context.html.isHtmlAfter(filter, isHtml, value !== before);
      // A `default` may name nothing itself: `default: nil`.
      const isProvidedFor = filter.name === 'default' || filters[index + 1]?.name === 'default';
      if (isChecked && isMissing(value) && !isProvidedFor) throw new MissingShown();
    }
    return ending(value, isHtml, context);
  };
}
