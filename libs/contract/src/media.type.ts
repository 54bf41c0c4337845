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
