/** What comes from a record or from an answer must not steer the terminal. */
export const plain = (text: string) => text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, '\ufffd');

export function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Rows of a table below its head, in columns. */
export function columns(head: string[], rows: string[][]): string[] {
  const all = [head, ...rows].map((cells) => cells.map(plain));
  const widths = head.map((_, column) => Math.max(...all.map((cells) => cells[column]!.length)));
  return all.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}

/** What was chosen, in words, for the question whether it is meant. */
export function chosenText(filter: Record<string, string | undefined>): string {
  const parts = Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`]));
  return parts.length === 0 ? 'all of them' : parts.join(', ');
}
