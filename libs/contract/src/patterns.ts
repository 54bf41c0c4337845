/** Pattern of the ids that we assign (docs/send.md 15), for JSON Schema and for code. */
export const ID_PATTERN = '^[A-Za-z0-9]{18}$';
/** Pattern of a campaign's slug. */
export const SLUG_PATTERN = '^[A-Za-z0-9_-]{3,40}$';
/** Pattern of an `external_message_id`; its schema tells length and characters apart. */
export const EXTERNAL_MESSAGE_ID_PATTERN = '^[A-Za-z0-9._~-]{1,128}$';
/** Pattern of a `file_ref`: a UUID. */
export const FILE_REF_PATTERN = '^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$';

const ID = new RegExp(ID_PATTERN);
const SLUG = new RegExp(SLUG_PATTERN);
const EXTERNAL_MESSAGE_ID = new RegExp(EXTERNAL_MESSAGE_ID_PATTERN);
const FILE_REF = new RegExp(FILE_REF_PATTERN);

export const isId = (text: string): boolean => ID.test(text);
export const isSlug = (text: string): boolean => SLUG.test(text);
export const isExternalMessageId = (text: string): boolean => EXTERNAL_MESSAGE_ID.test(text);
export const isFileRef = (text: string): boolean => FILE_REF.test(text);
