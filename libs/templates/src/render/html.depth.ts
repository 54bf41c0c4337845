import { Parser } from 'htmlparser2';
import { LimitExceeded } from '../liquid.limits';

/**
 * A text is made of html by recursion, and the stack of the main thread has room for half as many elements again (that of a thread that
 * renders is larger). Besides, parsing takes the square of the depth: seconds for 100,000 links that are never closed.
 */
export const MAX_DEPTH = 1_000;

/** Almost every mail has fewer elements than may be nested, so that it need not be parsed once more. */
function hasFewElements(html: string): boolean {
  return (html.match(/<[a-z]/gi)?.length ?? 0) <= MAX_DEPTH;
}

/** Throws `LimitExceeded` where elements are nested too deep to make a text of them. Does not recurse. */
export function refuseDeepHtml(html: string): void {
  if (hasFewElements(html)) return;
  let depth = 0;
  const parser = new Parser(
    {
      onopentag() {
        depth += 1;
        if (depth <= MAX_DEPTH) return;
        const advice = 'close them, or give the mail a text of its own';
        throw new LimitExceeded('depth', `the elements of the html are nested more than ${MAX_DEPTH} deep; ${advice}`);
      },
      onclosetag() {
        depth -= 1;
      },
    },
    { decodeEntities: false },
  );
  parser.end(html);
}
