import { Parser } from 'htmlparser2';
import { LimitExceeded } from '../liquid.limits';

/**
 * A text is made of html by recursion, and the stack of the main thread has room for half as many elements again (that of a thread that
 * renders is larger). Besides, parsing takes the square of the depth: seconds for 100,000 links that are never closed.
 */
export const MAX_DEPTH = 1_000;

const isLetter = (code: number) => (code | 32) >= 97 && (code | 32) <= 122;

/** Almost every mail has fewer elements than may be nested, so that it need not be parsed once more. Counts without a list of them. */
function hasFewElements(html: string): boolean {
  let count = 0;
  for (let at = html.indexOf('<'); at !== -1 && count <= MAX_DEPTH; at = html.indexOf('<', at + 1)) {
    if (isLetter(html.charCodeAt(at + 1))) count += 1;
  }
  return count <= MAX_DEPTH;
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
