import * as fc from 'fast-check';
import type { CampaignLaunch } from '../campaign.schema';
import type { EmailMessageDetails } from '../details.schema';
import type { EmailMessageRecipient, SendEmailRequest } from '../send.schema';

/** Generators of requests that keep the contract, and of requests that nearly do. */

/** Every field of the schema: one that is never generated is a type error. */
type Fields<Schema, But extends PropertyKey = never> = Record<Exclude<keyof Schema, But>, fc.Arbitrary<unknown>>;

const EMAILS = [
  'ada@example.com',
  'Bob@Example.COM',
  '"a b"@example.com',
  'c@bücher.example',
  'é@example.com',
  'd@a.b',
];
const email = fc.constantFrom(...EMAILS);
const name = fc.constantFrom('', 'Ada', 'Ada 😀', 'x'.repeat(1000));
const emailAddress = fc.record({ email, name }, { requiredKeys: ['email'] });
const emailValue = fc.oneof(email, emailAddress);
const contactKey = fc.oneof(
  fc.record({ email }),
  fc.record({ sms: fc.constantFrom('+12', '+31612345678') }),
  fc.record({ id: fc.constantFrom('x', 'A1b2C3d4E5f6G7h8I9') }),
  fc.record({ customer: fc.constantFrom('C-1', 'C-2') }),
  fc.record({ name: fc.constantFrom('C-1') }),
  fc.record({ external_message_id: fc.constantFrom('one') }),
);
const profileData = fc.dictionary(
  fc.constantFrom('first_name', '', '__proto__', 'constructor', 'ü', 'a.b'),
  fc.jsonValue({ maxDepth: 3 }),
  { maxKeys: 3, noNullPrototype: true },
);
const copies = fc.uniqueArray(emailValue, { maxLength: 3, selector: (value) => JSON.stringify(value) });
const text = fc.constantFrom('', 'Hello {{ first_name }}', 'a\nb', '<p>é</p>');
/** Large ones are rare: most of the time would go into copying them. */
const headers = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom({ 'X-A': 'a' }, { 'X-A': null, 'x-b': '' }) },
  { weight: 1, arbitrary: fc.constant({ 'X-A': 'a'.repeat(65_534) }) },
);
const message = fc.record(
  {
    reply_to: emailValue,
    cc: copies,
    bcc: copies,
    subject: fc.constantFrom('', 'Hello', 'x'.repeat(255)),
    text,
    html: text,
    in_reply_to: fc.constantFrom('<a@b>', '<x y>'),
    headers,
  } satisfies Fields<EmailMessageDetails>,
  { requiredKeys: [] },
);
const more = {
  cid: fc.constantFrom('logo', 'a.b~c_d-e'),
  metadata: fc.constantFrom({}, { 'x-a': [1, { b: null }] }, { 'svc-b': 1 }),
};
const optional = (keys: string[]) => ({ requiredKeys: keys as never[] });
const attachment = fc.oneof(
  fc.record(
    {
      attachment_type: fc.constant('file'),
      file_name: fc.constant('a.txt'),
      data: fc.constantFrom('', 'QQ=='),
      ...more,
    },
    optional(['attachment_type', 'file_name', 'data']),
  ),
  fc.record(
    {
      attachment_type: fc.constant('url'),
      file_name: fc.constant('b.txt'),
      data: fc.constant('https://example.com/b.txt'),
      ...more,
    },
    optional(['attachment_type', 'file_name', 'data']),
  ),
  fc.record(
    {
      file_ref: fc.constant('0199f0c2-5d6e-7c1a-9b57-3f2a8f0c1d2e'),
      attachment_type: fc.constant('file'),
      file_name: fc.constant('c.txt'),
      ...more,
    },
    optional(['file_ref']),
  ),
);
const attachments = fc.array(attachment, { minLength: 1, maxLength: 3 });
const recipient = fc.record(
  {
    contact_key: fc.oneof(emailValue, contactKey),
    email_address: emailValue,
    external_message_id: fc.constantFrom('one', 'two', 'three', 'four~._-5'),
    profile_data: profileData,
    message,
    attachments,
  } satisfies Fields<EmailMessageRecipient>,
  { requiredKeys: ['contact_key'] },
);
const anyRecipient = fc.oneof(emailValue, contactKey, recipient);
const campaign = fc.oneof(
  fc.constantFrom('abc', 'welcome-2', 'x'.repeat(40)),
  fc.record({ id: fc.constant('A1b2C3d4E5f6G7h8I9') }),
  fc.record({ slug: fc.constant('welcome') }),
);

const list = fc.array(anyRecipient, { minLength: 1, maxLength: 5 });

/** Mostly keeps the contract, but its lists may repeat recipients and external ids. */
export const request = fc.record(
  {
    campaign,
    to: fc.oneof(anyRecipient, list),
    profile_data: profileData,
    message,
    attachments,
  } satisfies Fields<SendEmailRequest>,
  { requiredKeys: ['campaign', 'to'] },
);

export const launch = fc
  .tuple(
    fc.record(
      {
        name: fc.constantFrom('Welcome', null),
        from: emailValue,
        priority: fc.constantFrom('high', 'normal', 'bulk'),
        on_uncertain: fc.constantFrom('retry', 'hold'),
        on_missing: fc.constantFrom('blank', 'fail'),
        valid_for: fc.constantFrom(1, 3600, 31_536_000, null),
        unsubscribe: fc.constant('one_click'),
        attachments,
        id: fc.constant('A1b2C3d4E5f6G7h8I9'),
        slug: fc.constant('welcome'),
        version: fc.constant(1),
        launched_at: fc.constant('2026-01-02T03:04:05.678Z'),
      } satisfies Fields<CampaignLaunch, keyof EmailMessageDetails>,
      { requiredKeys: ['from'] },
    ),
    message,
  )
  .map(([own, details]) => ({ ...own, ...details }));

const NASTY: unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e400,
  '',
  'x',
  'ada',
  'ada@example.com',
  'a\nb',
  'a\u2028',
  '\ud800',
  'x'.repeat(256),
  'x'.repeat(70_000),
  'https://x',
  'QQ',
  'file',
  'url',
  'one',
  [],
  {},
  ['ada@example.com'],
  ['ada@example.com', 'ada@example.com'],
  { email: 'ada@example.com' },
  { sms: '+123' },
  { id: 'a', slug: 'abc' },
  JSON.parse('{"__proto__":{"email":"ada@example.com"}}'),
  JSON.parse(`${'{"a":'.repeat(31)}{}${'}'.repeat(31)}`),
  JSON.parse(`${'{"a":'.repeat(32)}{}${'}'.repeat(32)}`),
];
const KEYS = [
  'email',
  'name',
  'nmae',
  'id',
  'sms',
  'slug',
  'contact_key',
  'message',
  'data',
  'file_ref',
  'x-a',
  '',
  '__proto__',
];
const MOVES = ['replace', 'remove', 'add', 'double', 'rename'] as const;

const mutation = fc.record({
  path: fc.array(fc.nat(), { maxLength: 6 }),
  move: fc.constantFrom(...MOVES),
  nasty: fc.constantFrom(...NASTY),
  key: fc.constantFrom(...KEYS),
});
type Mutation = typeof mutation extends fc.Arbitrary<infer M> ? M : never;

const own = (object: object, key: string, value: unknown) =>
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });

function changeList(items: unknown[], at: number, { move, nasty }: Mutation): void {
  if (move === 'remove') items.splice(at, 1);
  else if (move === 'double') items.push(structuredClone(items[at]));
  else if (move === 'add') items.push(structuredClone(nasty));
  else items[at] = structuredClone(nasty);
}

function changeObject(object: Record<string, unknown>, at: string, { move, nasty, key }: Mutation): void {
  if (move === 'add') own(object, key, structuredClone(nasty));
  else if (move === 'rename' || move === 'double') own(object, key, object[at]);
  else if (move === 'replace') own(object, at, structuredClone(nasty));
  if (move === 'remove' || move === 'rename') delete object[at];
}

/** Changes the value at one place along the path. */
function mutate(value: unknown, change: Mutation, depth = 0): void {
  if (typeof value !== 'object' || value === null) return;
  const keys = Object.keys(value);
  if (keys.length === 0 && change.move !== 'add') return;
  const at = keys[(change.path[depth] ?? 0) % Math.max(1, keys.length)] ?? '';
  const inner = (value as Record<string, unknown>)[at];
  if (depth < change.path.length && typeof inner === 'object' && inner !== null)
    return mutate(inner, change, depth + 1);
  if (Array.isArray(value)) changeList(value, Number(at), change);
  else changeObject(value as Record<string, unknown>, at, change);
}

/** The value with up to three changes; mostly invalid, but not always. */
export function nearly<T>(right: fc.Arbitrary<T>): fc.Arbitrary<unknown> {
  return fc.tuple(right, fc.array(mutation, { maxLength: 3 })).map(([value, changes]) => {
    const copy: unknown = structuredClone(value);
    for (const change of changes) mutate(copy, change);
    return copy;
  });
}
