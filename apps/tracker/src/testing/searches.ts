import { contactTerms } from '../timeline/message.record';
import type { MessageFilter } from '../timeline/messages.store';

/** Searches of every kind: none may scan the messages or sort what it finds. */
export const SEARCHES: [MessageFilter][] = [
  [{}],
  [{ state: 'sent' }],
  [{ campaign: 'welcome' }],
  [{ campaign: 'welcome', state: 'sent' }],
  [{ campaign: 'welcome', state: 'failed', from: 1 }],
  [{ contact: contactTerms('ada@x.org'), state: 'sent' }],
  [{ requestId: 'r' }],
  [{ reason: 'refused', campaign: 'welcome' }],
  [{ from: 1, reason: 'refused', state: 'bounced' }],
  [{ externalMessageId: 'e', campaign: 'welcome' }],
  [{ from: 1, to: 2, state: 'sent' }],
  [{ from: 1, contact: contactTerms('ada@x.org') }],
];
