import type { ReplyRule } from './reply.rule';
import { ADDRESS_RULES } from './reply.rules.address';
import {
  EXPIRY_RULES,
  NO_ROUTE_RULES,
  ROUTE_RULES,
  DECLARED_SIZE_RULES,
  FULL_MAILBOX_RULES,
  SIZE_AND_QUOTA_RULES,
  SENDER_VERIFICATION_RULES,
} from './reply.rules.permanent';
import { POLICY_RULES } from './reply.rules.policy';
import { TEMPORARY_RULES, OWN_ACCESS_RULES } from './reply.rules.temporary';
import { LANGUAGE_RULES } from './reply.rules.languages';

const FALLBACK_RULES: ReplyRule[] = [
  {
    code: '5',
    enhanced: /^5\.7\./,
    reason: 'policy_refused',
    sample: '550 5.7.1 Not wanted here',
  },
  {
    code: '5',
    text: /access denied|\bblocked\b|prohibit|polic(y|ies)|anti-?spoof|not (allowed|authori[sz]ed|permitted)|restricted/i,
    reason: 'policy_refused',
    sample: '550 Administrative prohibition',
  },
  { code: '5', reason: 'refused', sample: '554 5.3.0 Transaction failed' },
];

/** All rows, in the order in which they are tried. */
export const REPLY_RULES: readonly ReplyRule[] = [
  ...DECLARED_SIZE_RULES,
  ...OWN_ACCESS_RULES,
  ...TEMPORARY_RULES,
  ...ROUTE_RULES,
  ...SENDER_VERIFICATION_RULES,
  ...NO_ROUTE_RULES,
  ...FULL_MAILBOX_RULES,
  ...POLICY_RULES,
  ...SIZE_AND_QUOTA_RULES,
  ...LANGUAGE_RULES,
  ...ADDRESS_RULES,
  ...EXPIRY_RULES,
  ...FALLBACK_RULES,
];
