import { TypeGuards } from 'liquidjs';
import type { TemplateFault } from '../liquid.template';
import { tokensOf, VerbatimText } from '../nesting';
import { positionsIn, type TemplateKind } from '../tags';

interface MergeTag {
  /** The tag; its first group is what it shows or does. */
  pattern: RegExp;
  advice(inner: string): string;
}

const NAME = /^[A-Za-z_]\w*$/;
const UNSUBSCRIBE = 'write {{ message.unsubscribe_url }}';

function shown(name: string): string {
  return NAME.test(name) ? `write {{ ${name} }}` : 'write {{ name }}';
}

/** Of Mailchimp and Mandrill; visual editors percent-encode those in links. */
const MAILCHIMP: MergeTag = {
  pattern: /\*(?:\||%7c)([A-Za-z]\w*(?::[^|<>\n]{0,80})?)(?:\||%7c)\*/gi,
  advice(inner) {
    if (/^(?:if|ifnot|elseif|else|end):/i.test(inner)) return 'write {% if name %}…{% else %}…{% endif %}';
    return /^unsub$/i.test(inner) ? UNSUBSCRIBE : shown(inner);
  },
};

const MAILGUN: MergeTag = {
  pattern: /%(recipient\.[A-Za-z]\w*|(?:mailing_list_|tag_)?unsubscribe_url)%/g,
  advice: (inner) => (inner.endsWith('unsubscribe_url') ? UNSUBSCRIBE : shown(inner.slice('recipient.'.length))),
};

/** Of ERB, EJS and SendGrid, for one value. A text may show code, but html writes its `<` as `&lt;`. */
const EMBEDDED_CODE: MergeTag = {
  pattern: /<%[=-]?[ \t]{0,4}@?([A-Za-z_][\w.]{0,80})[ \t]{0,4}-?%>/g,
  advice: (inner) => (/unsubscribe/.test(inner) ? UNSUBSCRIBE : `write {{ ${inner} }}`),
};

const JINJA_COMMENT: MergeTag = {
  pattern: /\{#([^#{}\n]{1,200})#\}/g,
  advice: () => 'write {% comment %}…{% endcomment %}',
};

/** As many as an answer counts (docs/send.md 2). */
const MAX_FAULTS = 10_000;

/**
 * Tags of other systems that Liquid takes for text, so that each recipient would read them. Only for campaigns: a request may bring a text
 * that quotes them. Others that could as well be text, such as `[[name]]` or `${name}`, are none.
 */
export function mergeTagFaults(text: string, kind: TemplateKind): TemplateFault[] {
  const tags = [MAILCHIMP, MAILGUN, JINJA_COMMENT, ...(kind === 'html' ? [EMBEDDED_CODE] : [])];
  const faults: TemplateFault[] = [];
  if (!tags.some(({ pattern }) => text.search(pattern) >= 0)) return faults;
  const positionAt = positionsIn(text);
  for (const { index, found, advice } of mergeTagsIn(text, tags)) {
    const detail = `«${found}» is not understood; ${advice}, or put it into {% raw %} if it is meant as it is`;
    if (faults.push({ ...positionAt(index), detail }) === MAX_FAULTS) break;
  }
  return faults;
}

function* mergeTagsIn(text: string, tags: MergeTag[]) {
  const verbatim = new VerbatimText();
  for (const token of tokensOf(text)) {
    if (TypeGuards.isTagToken(token)) verbatim.covers(token.name);
    if (!TypeGuards.isHTMLToken(token) || verbatim.isOpen) continue;
    const piece = text.slice(token.begin, token.end);
    for (const { pattern, advice } of tags) {
      for (const { 0: found, 1: inner, index } of piece.matchAll(pattern)) {
        yield { index: token.begin + index, found, advice: advice(inner!) };
      }
    }
  }
}
