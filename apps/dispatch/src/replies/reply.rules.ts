import type { ReplyRule } from './reply.rule';
import { ADDRESS } from './reply.rules.address';
import {
  IN_TIME,
  NO_WAY,
  POLICY,
  ROUTE,
  TOO_LARGE_AT_MAIL,
  TOO_LARGE_OR_FULL,
  WAY_BACK,
} from './reply.rules.permanent';
import { FOR_NOW, OURS } from './reply.rules.temporary';
import { TONGUES } from './reply.rules.tongues';

const OTHERWISE: ReplyRule[] = [
  {
    code: '5',
    enhanced: /^5\.7\./,
    action: 'bounced',
    reason: 'policy_refused',
    hard: false,
    sample: '550 5.7.1 Not wanted here',
  },
  {
    code: '5',
    text: /access denied|\bblocked\b|prohibit|polic(y|ies)|anti-?spoof|not (allowed|authori[sz]ed|permitted)|restricted/i,
    action: 'bounced',
    reason: 'policy_refused',
    hard: false,
    sample: '550 Administrative prohibition',
  },
  { code: '5', action: 'bounced', reason: 'refused', hard: false, sample: '554 5.3.0 Transaction failed' },
];

/** All rows, in the order in which they are tried. */
export const REPLY_RULES: readonly ReplyRule[] = [
  ...TOO_LARGE_AT_MAIL,
  ...OURS,
  ...FOR_NOW,
  ...ROUTE,
  ...WAY_BACK,
  ...NO_WAY,
  ...POLICY,
  ...TOO_LARGE_OR_FULL,
  ...TONGUES,
  ...ADDRESS,
  ...IN_TIME,
  ...OTHERWISE,
];
