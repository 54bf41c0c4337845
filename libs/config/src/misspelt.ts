/** Names shorter than this resemble variables of other programs. */
const MIN_NAME_LENGTH = 7;

/** An unknown variable, and the one that was probably meant. */
export interface Misspelt {
  variable: string;
  meant: string;
}

/** What many programs call the parts of SMTP_URL. */
const NAMES_ELSEWHERE = new Map(
  ['HOST', 'PORT', 'USER', 'USERNAME', 'PASS', 'PASSWORD'].map((part) => [`SMTP_${part}`, 'SMTP_URL']),
);

/** Whether inserting, removing or changing one letter, or swapping two, turns one name into the other. */
function isOneTypoApart(a: string, b: string): boolean {
  let same = 0;
  while (same < a.length && a[same] === b[same]) same += 1;
  const [x, y] = [a.slice(same), b.slice(same)];
  const exchanged = x.length > 1 && x[0] === y[1] && x[1] === y[0] && x.slice(2) === y.slice(2);
  return x.slice(1) === y.slice(1) || x.slice(1) === y || x === y.slice(1) || exchanged;
}

/**
 * Variables of the environment that nothing reads, but whose names resemble one of `known` or a `_FILE` of `secrets`, or are what other
 * programs call it. Without a warning, nobody would notice that the variable that was meant has its default value.
 */
export function misspeltIn(
  environment: NodeJS.ProcessEnv,
  known: ReadonlySet<string>,
  secrets: readonly string[],
): Misspelt[] {
  const read = new Set([...known, ...secrets.map((name) => `${name}_FILE`)]);
  const names = [...read].filter((name) => name.length >= MIN_NAME_LENGTH);
  return Object.keys(environment)
    .filter((variable) => !read.has(variable) && environment[variable]?.trim())
    .flatMap((variable) => {
      const similar = names.find((name) => isOneTypoApart(variable, name) || variable === `${name}_FILE`);
      const meant = similar ?? NAMES_ELSEWHERE.get(variable);
      return meant === undefined ? [] : [{ variable, meant }];
    });
}
