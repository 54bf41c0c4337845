import { displayOf, isClipped, type Display } from './html.display';
import type { Builder, Element } from './text.builder';

/** Of these the height cannot be limited. */
const TABLE_PARTS = new Set(['table', 'tr', 'td', 'th']);
const BLANK: Element = { type: 'text', data: ' ', children: [] };

export function isHidden(element: Element): boolean {
  return isHiddenAs(displayOf(element.attribs), element);
}

export function isHiddenAs(display: Display | undefined, { name, attribs }: Element): boolean {
  return display === 'none' || (isClipped(attribs) && !TABLE_PARTS.has(name!));
}

/** Begins what is shown on a line of its own, or apart from what is before it. */
export function begin(display: Display | undefined, builder: Builder): void {
  if (display === 'block' || display === 'flex') builder.openBlock({ leadingLineBreaks: 1 });
  if (display === 'apart') builder.addInline(' ');
}

export function end(display: Display | undefined, builder: Builder): void {
  if (display === 'block' || display === 'flex') builder.closeBlock({ trailingLineBreaks: 1 });
  if (display === 'apart') builder.addInline(' ');
}

/** What an element has in it, with blanks between if they are boxes beside each other. */
export function contentOf({ children }: Element, display: Display | undefined): Element[] {
  return display === 'flex' || display === 'inline-flex' ? children.flatMap((child) => [child, BLANK]) : children;
}
