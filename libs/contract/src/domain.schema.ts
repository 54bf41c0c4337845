import { Type, type Static } from '@sinclair/typebox';
import { Closed, Word } from './schema';

/** Body of PUT /v2/domains/{domain}; every property may be left out. */
export const DomainSetup = Closed(
  {
    selector: Type.Optional(
      Type.String({
        description:
          'Name of the keys in DNS: `<selector>._domainkey.<domain>`; the Ed25519 key is at `<selector>-ed`. Made if omitted. A selector that the domain does not have yet makes new keys.',
        minLength: 1,
        maxLength: 60,
        pattern: '^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$',
      }),
    ),
    private_key: Type.Optional(
      Type.String({
        description:
          'A key of your own in PEM, RSA of 2048 to 4096 bits (PKCS#8 or PKCS#1) or Ed25519 (PKCS#8), without a passphrase. It is kept encrypted and never answered.',
        minLength: 1,
        maxLength: 8192,
      }),
    ),
    ed25519: Type.Optional(
      Type.Boolean({
        description:
          'When keys are made: whether an Ed25519 key (RFC 8463) signs beside the RSA key. `true` if omitted.',
      }),
    ),
    rotate: Type.Optional(
      Type.Boolean({
        description:
          'Make new keys. Those before sign until the new ones are verified; while new ones wait for that, nothing changes.',
      }),
    ),
    sign: Type.Optional(
      Word<'verified' | 'always'>(['verified', 'always'], {
        description:
          '`verified` (at first): mails are signed once the records were found in DNS. `always`: without having looked.',
      }),
    ),
    require: Type.Optional(
      Type.Boolean({
        description:
          'Whether mails that can not be signed wait instead of leaving unsigned. `false` at first. They fail when all retries are used up.',
      }),
    ),
  },
  {
    title: 'DomainSetup',
    description: 'How mails from a domain are signed. What is left out stays as it is.',
    examples: [{}, { selector: 'mail2026' }, { rotate: true }],
  },
);
export type DomainSetup = Static<typeof DomainSetup>;
