import { contactTerms } from '../timeline/message.record';
import type { MessageFilter } from '../timeline/messages.store';

/** Searches of every kind: none may scan the messages or sort its results. */
export const SEARCHES: [MessageFilter][] = [
  [{}],
  [{ states: ['sent'] }],
  [{ states: ['deferred', 'uncertain'] }],
  [{ states: ['deferred', 'uncertain'], campaign: 'welcome', from: 1 }],
  [{ states: ['deferred', 'sent'], campaign: 'welcome' }],
  [{ campaign: 'welcome' }],
  [{ campaign: 'welcome', states: ['sent'] }],
  [{ campaign: 'welcome', states: ['failed'], from: 1 }],
  [{ contact: contactTerms('ada@x.org'), states: ['sent'] }],
  [{ requestId: 'r' }],
  [{ reason: 'refused', campaign: 'welcome' }],
  [{ from: 1, reason: 'refused', states: ['bounced'] }],
  [{ externalMessageId: 'e', campaign: 'welcome' }],
  [{ from: 1, to: 2, states: ['sent'] }],
  [{ from: 1, contact: contactTerms('ada@x.org'), states: ['failed', 'bounced'] }],
];
