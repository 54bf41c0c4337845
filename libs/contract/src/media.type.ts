import mime from 'mime';

/** Of a file that nothing is known of. */
export const ANY_TYPE = 'application/octet-stream';

/** The media type that the ending of a file name tells; undefined where it has none, or one that nobody knows. */
export function typeByName(fileName: string): string | undefined {
  return (fileName.includes('.') ? mime.getType(fileName) : null) ?? undefined;
}

/** The media type of a file of which nothing but the name is known. */
export function mediaTypeOf(fileName: string): string {
  return typeByName(fileName) ?? ANY_TYPE;
}

/** The property of a calendar that is for somebody: an invitation, its answer, its end (RFC 5546). */
const METHOD = /^METHOD:([A-Z]{1,20})[ \t]*\r?$/im;
/** It stands among the first lines. Characters of base64, whole groups of four. */
const CALENDAR_HEAD = 4096;

/**
 * The media type of a file that comes as base64: what its name tells. A calendar repeats its method (RFC 6047, 2.4): without it mail
 * programs show a file in place of an invitation.
 */
export function inlineType(fileName: string, base64: string): string {
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
  /** `type/subtype` as it is said to be. */
  type: string;
  /** As they are said to be (`charset=utf-8`). */
  parameters: string[];
}

/** A Content-Type that can be passed on: in ASCII, with five parameters at most and none that is odd; undefined where it is none. */
export function mediaTypeIn(contentType: string): MediaType | undefined {
  const type = CONTENT_TYPE.exec(contentType)?.[1];
  return type === undefined
    ? undefined
    : { type, parameters: [...contentType.matchAll(PARAMETERS)].map(([, parameter]) => parameter!) };
}
