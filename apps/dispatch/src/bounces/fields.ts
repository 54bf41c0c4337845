/** A field of a header or status report: its name in lower case, its value unfolded. */
export type Field = readonly [name: string, value: string];

const FIELD = /^([A-Za-z][A-Za-z0-9_-]{0,80})[ \t]*:(.*)$/;
const MAX_LINES = 2000;
const MAX_VALUE_LENGTH = 4000;

/** The lines of a text, bounded in number and in length. */
export function linesOf(text: string, maxLines = MAX_LINES): string[] {
  return text
    .split(/\r\n|\r|\n/, maxLines)
    .map((line) => (line.length > MAX_VALUE_LENGTH ? line.slice(0, MAX_VALUE_LENGTH) : line));
}

/** Has what a server said as it came, so its lines may not be folded. */
const UNFOLDED = 'diagnostic-code';

/** Groups of fields, separated by blank lines and boundaries of parts. Lines that neither are nor continue a field are skipped. */
export function fieldGroups(text: string): Field[][] {
  const groups: Field[][] = [];
  let group: [string, string][] = [];
  const close = () => {
    if (group.length > 0) groups.push(group);
    group = [];
  };
  for (const line of linesOf(text)) {
    const last = group.at(-1);
    const found = FIELD.exec(line);
    if (line.trim() === '' || line.startsWith('--')) close();
    else if (last && (/^[ \t]/.test(line) || (!found && last[0] === UNFOLDED)))
      last[1] = `${last[1]} ${line.trim()}`.slice(0, MAX_VALUE_LENGTH);
    else if (found) group.push([found[1]!.toLowerCase(), found[2]!.trim()]);
  }
  close();
  return groups;
}

/** The first value of a field that is not empty; undefined if there is none. */
export function valueOf(fields: readonly Field[], name: string): string | undefined {
  return fields.find(([known, value]) => known === name && value !== '')?.[1];
}

export function valuesOf(fields: readonly Field[], ...names: string[]): string[] {
  return fields.flatMap(([known, value]) => (names.includes(known) && value !== '' ? value : []));
}
