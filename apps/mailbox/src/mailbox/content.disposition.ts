/**
 * Control characters, path separators, and marks that turn the order of letters around (a name that hides its ending).
 */
const UNFIT = /[\u0000-\u001f\u007f-\u009f/\\\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const MAX_CHARS = 200;

function escaped(name: string): string {
  return encodeURIComponent(name).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Content-Disposition of a download (RFC 6266): an ASCII name, and the real one for whoever reads RFC 5987. */
export function downloadAs(fileName: string): string {
  // By way of UTF-8, which has no halves of characters.
  const whole = Buffer.from([...fileName].slice(0, MAX_CHARS).join('')).toString();
  const name = whole.replace(UNFIT, '_') || 'attachment';
  const ascii = name.replace(/[^\x20-\x7e]|["%]/g, '_');
  return `attachment; filename="${ascii}"; filename*=UTF-8''${escaped(name)}`;
}
