const LINE_BREAKS = /[\t\n\r]+/g;
/** What would end the link in a text, and so would a line break where the text is wrapped. */
const BLANKS = /[\s\p{Cc}\u00ad\u200b]/gu;
const ADDRESS = /^mailto:([^?]*)$/i;
/** Within the mail, or all that it leads to. */
const NO_TARGET = /^(?:#|data:)/i;

/** What a text shows of a link: its target as browsers read it, or only the address that it writes to. */
export function linkTarget(href: string): string {
  const url = href.trim().replace(LINE_BREAKS, '');
  if (NO_TARGET.test(url)) return '';
  const target = url.replace(BLANKS, encodeURIComponent);
  return ADDRESS.exec(target)?.[1] ?? target;
}
