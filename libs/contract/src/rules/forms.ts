import type { EmailMessageRecipient } from '../send.schema';
import type { Finding } from './rules';
import { describeValue } from '../fault.wording';
import { isObject, type Json } from '../json/json.object';

/**
 * Tells the forms of a union apart. The schema lists the forms under `anyOf` and names its chooser under `x-form`. The
 * verdict and the list of faults both use it, so that a value is checked against the one form that was meant.
 * `choose` returns the index into `anyOf`, or -1 if the value has no form; `miss` returns the finding for that case.
 */
export interface Form {
  choose(value: unknown): number;
  miss(value: unknown): Finding;
}

const has = Object.hasOwn;

const noForm =
  (forms: string) =>
  (value: unknown): Finding => ({
    code: 'no_form_matches',
    detail: `expected ${forms}; found ${describeValue(value)}`,
  });

const TEXT = 0;

const campaign: Form = {
  choose(value) {
    if (typeof value === 'string') return TEXT;
    if (!isObject(value) || (has(value, 'id') && has(value, 'slug'))) return -1;
    return has(value, 'id') ? 1 : 2;
  },
  miss(value) {
    if (!isObject(value)) return noForm('a slug, {"id"} or {"slug"}')(value);
    return { code: 'no_form_matches', detail: 'id and slug are both given; give only one of them' };
  },
};

const emailValue: Form = {
  choose: (value) => (typeof value === 'string' ? TEXT : isObject(value) ? 1 : -1),
  miss: noForm('an address or {"email", "name"?}'),
};

const ADDRESS = 1;
const CONTACT_KEY = 2;
const RECIPIENT = 3;

/** Whether an object is an EmailAddress or a ContactKey (docs/send.md 5). */
function keyForm(value: Json): number {
  if (has(value, 'email')) return has(value, 'sms') || has(value, 'id') ? CONTACT_KEY : ADDRESS;
  if (!has(value, 'name')) return CONTACT_KEY;
  // A lone `name` is a custom key. With other properties it is a display name whose address is missing.
  return Object.keys(value).length === 1 ? CONTACT_KEY : ADDRESS;
}

const contactKey: Form = {
  choose: (value) => (typeof value === 'string' ? TEXT : isObject(value) ? keyForm(value) : -1),
  miss: noForm('an address, {"email", "name"?} or a contact key such as {"sms"} or {"id"}'),
};

/** A field that is missing here is a type error. */
const RECIPIENT_FIELDS = Object.keys({
  email_address: true,
  external_message_id: true,
  profile_data: true,
  message: true,
  attachments: true,
} satisfies Record<Exclude<keyof EmailMessageRecipient, 'contact_key'>, true>);

/** Whether an EmailMessageRecipient was meant and its contact_key forgotten. */
function lacksContactKey(value: Json): boolean {
  const property = RECIPIENT_FIELDS.find((name) => has(value, name));
  if (property === undefined) return false;
  // By the contract, such a property alone with a text as its value is a custom contact key of that name.
  return typeof value[property] !== 'string' || Object.keys(value).length > 1;
}

const recipient: Form = {
  choose(value) {
    if (typeof value === 'string') return TEXT;
    if (!isObject(value)) return -1;
    return has(value, 'contact_key') || lacksContactKey(value) ? RECIPIENT : keyForm(value);
  },
  miss: noForm('an address, {"email", "name"?}, a contact key such as {"id"}, or {"contact_key", …}'),
};

const recipients: Form = {
  choose: (value) => (Array.isArray(value) ? 1 : 0),
  miss: noForm('one recipient, or an array of them'),
};

const FILE = 0;
const FILE_REF = 1;
const URL_FILE = 2;

const attachment: Form = {
  choose(value) {
    if (!isObject(value)) return -1;
    if (has(value, 'file_ref')) return FILE_REF;
    if (value.attachment_type === 'file') return FILE;
    const fetched = typeof value.data === 'string' && value.data.startsWith('https://');
    return value.attachment_type === 'url' || fetched ? URL_FILE : FILE;
  },
  miss: noForm('an object with attachment_type, file_name and data, or with file_ref'),
};

const KEPT_FILE = 1;
const LAUNCHED_URL_FILE = 2;

/** A file as `GET` of a campaign returns it: neither type nor content. */
const isKept = (value: unknown) =>
  isObject(value) && has(value, 'size') && !has(value, 'data') && !has(value, 'attachment_type');

const campaignAttachment: Form = {
  choose(value) {
    const form = attachment.choose(value);
    if (form === URL_FILE) return LAUNCHED_URL_FILE;
    if (form !== FILE) return -1;
    return isKept(value) ? KEPT_FILE : FILE;
  },
  miss(value) {
    if (!isObject(value)) return attachment.miss(value);
    return {
      code: 'attachment_kind_unavailable',
      detail: 'a launch has no form parts: give the file as base64 (attachment_type "file") or by its address ("url")',
    };
  },
};

export const FORMS = {
  campaign,
  emailValue,
  contactKey,
  recipient,
  recipients,
  attachment,
  campaignAttachment,
} satisfies Record<string, Form>;
