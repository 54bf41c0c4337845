import { Type, type Static } from '@sinclair/typebox';
import { ClosedObject, StringEnum } from './schema';

export const DomainSign = StringEnum<'verified' | 'always'>(['verified', 'always'], {
  title: 'DomainSign',
  description:
    '`verified` (default): mails are signed once the records were found in DNS. `always`: mails are signed without looking.',
});

/** Body of PUT /v2/domains/{domain}; every property is optional. */
export const DomainSetup = ClosedObject(
  {
    selector: Type.Optional(
      Type.String({
        description:
          'Name of the keys in DNS: `<selector>._domainkey.<domain>`; the Ed25519 key is at `<selector>-ed`. Generated if omitted. A selector that the domain does not have yet makes new keys.',
        minLength: 1,
        maxLength: 60,
        pattern: '^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$',
      }),
    ),
    private_key: Type.Optional(
      Type.String({
        description:
          'Your own key in PEM: RSA of 2048 to 4096 bits (PKCS#8 or PKCS#1) or Ed25519 (PKCS#8), without a passphrase. It is stored encrypted and never returned.',
        minLength: 1,
        maxLength: 8192,
      }),
    ),
    ed25519: Type.Optional(
      Type.Boolean({
        description:
          'When keys are made: whether an Ed25519 key (RFC 8463) signs in addition to the RSA key. `true` if omitted.',
      }),
    ),
    rotate: Type.Optional(
      Type.Boolean({
        description:
          'Make new keys. The old ones sign until the new ones are verified. While new keys wait for that, `rotate` changes nothing.',
      }),
    ),
    sign: Type.Optional(DomainSign),
    require: Type.Optional(
      Type.Boolean({
        description:
          'Whether mails that cannot be signed wait instead of being sent unsigned; `false` by default. They fail when all retries are used up.',
      }),
    ),
  },
  {
    title: 'DomainSetup',
    description: 'How mails from a domain are signed. What you leave out stays as it is.',
    examples: [{}, { selector: 'mail2026' }, { rotate: true }],
  },
);
export type DomainSetup = Static<typeof DomainSetup>;
