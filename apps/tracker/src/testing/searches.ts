import { contactTerms } from '../timeline/message.record';
import type { MessageFilter } from '../timeline/messages.store';

/** Each filter alone, the ends of a time together. A new filter is a type error where this is called: give it a value, and it is tried. */
export function eachAlone({ from, to, ...others }: Required<MessageFilter>): MessageFilter[] {
  return [...Object.entries(others).map(([name, value]): MessageFilter => ({ [name]: value })), { from, to }];
}

export const ALONE = eachAlone({
  externalMessageId: 'e',
  requestId: 'r',
  contact: contactTerms('ada@x.org'),
  campaign: 'welcome',
  states: ['sent'],
  reason: 'refused',
  from: 1,
  to: 2,
});

/** Searches of every kind: none may scan the messages or sort its results. */
export const SEARCHES: [MessageFilter][] = [
  [{}],
  ...ALONE.map((one): [MessageFilter] => [one]),
  [{ states: ['deferred', 'uncertain'] }],
  [{ states: ['deferred', 'uncertain'], campaign: 'welcome', from: 1 }],
  [{ states: ['deferred', 'sent'], campaign: 'welcome' }],
  [{ campaign: 'welcome', states: ['sent'] }],
  [{ campaign: 'welcome', states: ['failed'], from: 1 }],
  [{ contact: contactTerms('ada@x.org'), states: ['sent'] }],
  [{ reason: 'refused', campaign: 'welcome' }],
  [{ from: 1, reason: 'refused', states: ['bounced'] }],
  [{ externalMessageId: 'e', campaign: 'welcome' }],
  [{ externalMessageId: 'e', requestId: 'r' }],
  [{ requestId: 'r', states: ['sent'], from: 1 }],
  [{ from: 1, to: 2, states: ['sent'] }],
  [{ from: 1, contact: contactTerms('ada@x.org'), states: ['failed', 'bounced'] }],
];
