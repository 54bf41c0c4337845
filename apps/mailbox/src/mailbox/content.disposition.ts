/** Control characters, path separators, and marks that change the direction of text (they can hide a file's real ending). */
const UNSAFE_CHARACTERS = /[\u0000-\u001f\u007f-\u009f/\\\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const MAX_NAME_LENGTH = 200;

function percentEncoded(name: string): string {
  return encodeURIComponent(name).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Content-Disposition of a download (RFC 6266): an ASCII name, and the real one for clients that support RFC 5987. */
export function downloadAs(fileName: string): string {
  // Through UTF-8, which replaces unpaired surrogates.
  const whole = Buffer.from([...fileName].slice(0, MAX_NAME_LENGTH).join('')).toString();
  const name = whole.replace(UNSAFE_CHARACTERS, '_') || 'attachment';
  const ascii = name.replace(/[^\x20-\x7e]|["%]/g, '_');
  return `attachment; filename="${ascii}"; filename*=UTF-8''${percentEncoded(name)}`;
}
