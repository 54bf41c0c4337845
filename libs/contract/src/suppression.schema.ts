import { Type, type Static } from '@sinclair/typebox';
import { ClosedObject, StringEnum } from './schema';

const CALLER_REASONS = ['manual', 'mailbox_unknown', 'complained', 'unsubscribed'] as const;

/** All reasons of a suppression. Only a bounce can have `domain_unknown`; calls cannot give it. */
export const SUPPRESSION_REASONS: readonly string[] = [...CALLER_REASONS, 'domain_unknown'];

export const SuppressionCauseReason = StringEnum([...CALLER_REASONS], {
  title: 'SuppressionCauseReason',
  description:
    '`manual` if omitted. The others are for what another sender knows of the address; `unsubscribed` holds back only mails with unsubscribe links.',
});

/** Body of PUT /v2/suppressions/{address}; optional. */
export const SuppressionCause = ClosedObject(
  {
    reason: Type.Optional(SuppressionCauseReason),
  },
  {
    title: 'SuppressionCause',
    description: 'Why an address is to get no mail.',
    examples: [{}, { reason: 'complained' }],
  },
);
export type SuppressionCause = Static<typeof SuppressionCause>;
