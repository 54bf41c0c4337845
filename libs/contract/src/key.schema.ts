import { Type, type Static } from '@sinclair/typebox';
import { ClosedObject } from './schema';

/** Body of POST /v2/keys; optional. */
export const KeyName = ClosedObject(
  {
    name: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        description: 'Says who uses the key, and for what; null means none.',
        minLength: 1,
        maxLength: 1000,
        'x-text': ['plain'],
      }),
    ),
  },
  {
    title: 'KeyName',
    description: 'The name of a new key in the list of keys.',
    examples: [{}, { name: 'billing, production' }],
  },
);
export type KeyName = Static<typeof KeyName>;
