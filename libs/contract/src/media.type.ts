import mime from 'mime';

/** The media type of a file of unknown type. */
export const UNKNOWN_MEDIA_TYPE = 'application/octet-stream';

/** The media type that the extension of a file name stands for; undefined if it has none, or an unknown one. */
export function mediaTypeByName(fileName: string): string | undefined {
  return (fileName.includes('.') ? mime.getType(fileName) : null) ?? undefined;
}

/** The media type of a file of which only the name is known. */
export function mediaTypeOf(fileName: string): string {
  return mediaTypeByName(fileName) ?? UNKNOWN_MEDIA_TYPE;
}

/** The property of a calendar that is sent to somebody: an invitation, its answer, its cancellation (RFC 5546). */
const METHOD = /^METHOD:([A-Z]{1,20})[ \t]*\r?$/im;
/** How much of the base64 is searched for METHOD, which is in one of the first lines. Characters, a multiple of four. */
const CALENDAR_HEAD = 4096;

/**
 * The media type of a file given as base64, by its name. For a calendar it repeats the method (RFC 6047, 2.4): without that, mail
 * programs show a file instead of an invitation.
 */
export function inlineMediaType(fileName: string, base64: string): string {
  const type = mediaTypeOf(fileName);
  if (type !== 'text/calendar') return type;
  const method = METHOD.exec(Buffer.from(base64.slice(0, CALENDAR_HEAD), 'base64').toString('latin1'))?.[1];
  return method === undefined ? type : `${type}; method=${method.toUpperCase()}`;
}

const TOKEN = "[A-Za-z0-9!#$&^_.+'*%`|~-]{1,80}";
const PARAMETER = `;\\s*(${TOKEN}=(?:${TOKEN}|"[^"\\\\\\u0000-\\u001f\\u007f-\\uffff]{0,100}"))\\s*`;
const CONTENT_TYPE = new RegExp(`^(${TOKEN}/${TOKEN})\\s*(?:${PARAMETER}){0,5}$`);
const PARAMETERS = new RegExp(PARAMETER, 'g');

/** What a Content-Type says (RFC 2045 5.1). */
export interface MediaType {
  /** `type/subtype`, as written. */
  type: string;
  /** Each as written (`charset=utf-8`). */
  parameters: string[];
}

/** Parses a Content-Type that can be passed on: ASCII, at most five parameters, all of the form of `PARAMETER`; undefined otherwise. */
export function parseMediaType(contentType: string): MediaType | undefined {
  const type = CONTENT_TYPE.exec(contentType)?.[1];
  return type === undefined
    ? undefined
    : { type, parameters: [...contentType.matchAll(PARAMETERS)].map(([, parameter]) => parameter!) };
}
