/** How the ids that we give look (docs/send.md 15), in JSON Schema and in code. */
export const ID_PATTERN = '^[A-Za-z0-9]{18}$';
/** How the name of a campaign looks. */
export const SLUG_PATTERN = '^[A-Za-z0-9_-]{3,40}$';

const ID = new RegExp(ID_PATTERN);
const SLUG = new RegExp(SLUG_PATTERN);

export const isId = (text: string): boolean => ID.test(text);
export const isSlug = (text: string): boolean => SLUG.test(text);
