/** Control characters, and marks that change the direction of text: what stands behind them would be read in another order. */
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Replaces control characters: text of a record or an answer must not control the terminal. */
export const printable = (text: string) => text.replace(CONTROLS, '\ufffd');

/** The same for a text of several lines, which may have tabs. */
export const printableLines = (text: string) => text.replace(CONTROLS, (one) => (/[\t\n]/.test(one) ? one : '\ufffd'));

/** Escapes control characters that JSON leaves unescaped: a program reads the same value. */
export function json(value: unknown): string {
  const escaped = (control: string) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return `${JSON.stringify(value, null, 2).replace(CONTROLS, (one) => (one === '\n' ? one : escaped(one)))}\n`;
}

/** `json` of a list, item by item, because the whole list may be longer than a string can be. Yields nothing if the first item fails. */
export async function* jsonList(items: AsyncIterable<unknown>): AsyncGenerator<string> {
  let before = '[\n';
  for await (const item of items) {
    yield before + json(item).trimEnd().replace(/^/gm, '  ');
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}

/** Rows of a table below its header, in aligned columns. */
export function tableLines(head: string[], rows: string[][]): string[] {
  const all = [head, ...rows].map((cells) => cells.map(printable));
  const widths = head.map((_, column) => all.reduce((widest, cells) => Math.max(widest, cells[column]!.length), 0));
  return all.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}

/** The filters in words, for the question that asks for confirmation. */
export function describeFilter(filter: Record<string, string | undefined>): string {
  const parts = Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`]));
  return parts.length === 0 ? 'all of them' : parts.join(', ');
}
