import mime from 'mime';

/** Of a file that nothing is known of. */
export const ANY_TYPE = 'application/octet-stream';

/** The media type that the ending of a file name tells; a name without one tells nothing. */
export function mediaTypeOf(fileName: string): string {
  return (fileName.includes('.') ? mime.getType(fileName) : null) ?? ANY_TYPE;
}
