import type { FormatCallback } from 'html-to-text';

export type Builder = Parameters<FormatCallback>[2];
export type Element = Parameters<FormatCallback>[0];

/** What html-to-text keeps to itself: of what it is building, and of what is beside an element. */
interface Inside {
  options: { formatters: Record<string, FormatCallback> };
  _stackItem: {
    isPre?: boolean;
    stashedLineBreaks: number;
    inlineTextBuilder: { stashedSpace: boolean; nextLineWords: string[] };
  };
}
type Beside = Element & { prev: Element | null; next: Element | null };

const inside = (builder: Builder) => builder as unknown as Inside;

/** Reading a longer word, each time that something is added to it, would take the square of its length. */
const LONG = 32;

export function ownFormat(builder: Builder, name: string): FormatCallback {
  return inside(builder).options.formatters[name]!;
}

/** Whether blanks are kept as they are written. */
export function keepsBlanks(builder: Builder): boolean {
  return inside(builder)._stackItem.isPre === true;
}

/** The text that an element follows without a blank: the word, and the one before it. Of a long word, a letter stands for all. */
export function textBefore(element: Element, builder: Builder): string {
  const { isPre, stashedLineBreaks, inlineTextBuilder } = inside(builder)._stackItem;
  if (isPre) return dataOf((element as Beside).prev).slice(-LONG);
  if (stashedLineBreaks > 0 || inlineTextBuilder.stashedSpace) return '';
  const words = inlineTextBuilder.nextLineWords.slice(-2);
  if ((words.at(-1)?.length ?? 0) > LONG) return 'x';
  return words.filter(({ length }) => length <= LONG).join(' ');
}

export function textBehind(element: Element): string {
  const { next } = element as Beside;
  return next ? textIn(next) : '';
}

/** The text in a node, from its beginning; reading ends as soon as there is more than so many characters. */
export function textIn(node: Element, characters = 0): string {
  let text = '';
  const rest = [node];
  while (rest.length > 0 && text.length <= characters) {
    const next = rest.pop()!;
    text += dataOf(next);
    if (next.type === 'tag') for (const child of next.children.toReversed()) rest.push(child);
  }
  return text;
}

function dataOf(node: Element | null): string {
  return (node?.type === 'text' && node.data) || '';
}
