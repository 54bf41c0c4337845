import { Type, type Static } from '@sinclair/typebox';
import { Closed, Word } from './schema';

type Cause = 'manual' | 'mailbox_unknown' | 'complained' | 'unsubscribed';

/** Body of PUT /v2/suppressions/{address}; it may be left out. */
export const SuppressionCause = Closed(
  {
    reason: Type.Optional(
      Word<Cause>(['manual', 'mailbox_unknown', 'complained', 'unsubscribed'], {
        description:
          '`manual` if omitted. The others are for what another sender has learnt of the address; `unsubscribed` holds back mails with unsubscribe links alone.',
      }),
    ),
  },
  {
    title: 'SuppressionCause',
    description: 'Why an address is not to be written to.',
    examples: [{}, { reason: 'complained' }],
  },
);
export type SuppressionCause = Static<typeof SuppressionCause>;
