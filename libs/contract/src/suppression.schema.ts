import { Type, type Static } from '@sinclair/typebox';
import { Closed, Word } from './schema';

const CAUSES = ['manual', 'mailbox_unknown', 'complained', 'unsubscribed'] as const;

/** All that an address can be listed for: a bounce can have one more reason. */
export const SUPPRESSION_REASONS: readonly string[] = [...CAUSES, 'domain_unknown'];

/** Body of PUT /v2/suppressions/{address}; it may be left out. */
export const SuppressionCause = Closed(
  {
    reason: Type.Optional(
      Word([...CAUSES], {
        description:
          '`manual` if omitted. The others are for what another sender knows of the address; `unsubscribed` holds back only mails with unsubscribe links.',
      }),
    ),
  },
  {
    title: 'SuppressionCause',
    description: 'Why an address is to get no mail.',
    examples: [{}, { reason: 'complained' }],
  },
);
export type SuppressionCause = Static<typeof SuppressionCause>;
