import { TypeGuards } from 'liquidjs';
import type { TemplateFault } from '../liquid.template';
import { tokensOf, VerbatimText } from '../nesting';
import { positionsIn } from '../tags';

const QUOTED = /"[^"]*"|'[^']*'/g;
const LINK = /(?<![\w.-])message\s*\.\s*unsubscribe_url(?![\w-])/;
const DEFAULT = /\|\s*default\s*:/;
/** The template calls something else `message`. */
const OTHER_MESSAGE = /\{%-?\s*(?:for|tablerow|assign|capture)\s+message\b/;
const CONDITIONS = ['if', 'unless'];

const DETAIL =
  'message.unsubscribe_url is empty in this campaign: launch it with "unsubscribe": "one_click", ' +
  'or put the link into {% if message.unsubscribe_url %}…{% endif %}';

function namesLink(code: string): boolean {
  return LINK.test(code.replace(QUOTED, '""'));
}

/**
 * Where a campaign without unsubscribe links shows one: its recipients would get a link that leads nowhere. A template that asks first, or
 * has a substitute, is right with and without.
 */
export function missingLinkFaults(text: string): TemplateFault[] {
  if (!text.includes('unsubscribe_url') || OTHER_MESSAGE.test(text)) return [];
  const positionAt = positionsIn(text);
  const verbatim = new VerbatimText();
  /** Of each open condition: whether it asks for the link. */
  const asked: boolean[] = [];
  return tokensOf(text).flatMap((token) => {
    if (TypeGuards.isTagToken(token)) {
      if (verbatim.covers(token.name)) return [];
      if (CONDITIONS.includes(token.name)) asked.push(namesLink(token.args));
      else if (token.name === 'elsif' && namesLink(token.args)) asked.push(asked.pop() !== undefined);
      else if (CONDITIONS.includes(token.name.replace(/^end/, ''))) asked.pop();
      return [];
    }
    if (!TypeGuards.isOutputToken(token) || verbatim.isOpen || asked.includes(true)) return [];
    if (!namesLink(token.content) || DEFAULT.test(token.content)) return [];
    return [{ ...positionAt(token.begin), detail: DETAIL }];
  });
}
