const LINE_BREAKS = /[\t\n\r]+/g;
/** What would end the link in a text, and so would a line break where the text is wrapped. */
const BLANKS = /[\s\p{Cc}\u200b]/gu;
const ADDRESS = /^mailto:([^?]*)$/i;

/** What a text shows of a link: its target as browsers read it, or only the address that it writes to. Nothing of a link within the mail. */
export function linkTarget(href: string): string {
  const url = href.trim().replace(LINE_BREAKS, '').replace(BLANKS, encodeURIComponent);
  if (url.startsWith('#')) return '';
  return ADDRESS.exec(url)?.[1] ?? url;
}
