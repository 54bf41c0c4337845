/** An image of the mail itself, by its Content-ID. */
export interface InlineImage {
  contentType: string;
  bytes: Buffer;
}

/** Html refers to one image as often as it likes; what is written in for it ends here. */
const MAX_INLINED_BYTES = 32 * 1024 * 1024;
const CID = /(["'(=]\s*)cid:([^"'()\s<>]+)/gi;
const DOCTYPE = /^\s*<!doctype[^>]{0,500}>/i;

/**
 * What a mail may do when it is shown: nothing but be seen. No scripts, forms, frames, plug-ins or requests, and an
 * origin of its own, even when it is opened outside of the page's frame. With `remote`, images by https.
 */
export function framePolicy(remote: boolean): string {
  return [
    // Without allow-scripts, a meta refresh does nothing either. Links open in windows of their own.
    'sandbox allow-popups allow-popups-to-escape-sandbox',
    "default-src 'none'",
    `img-src data:${remote ? ' https:' : ''}`,
    "style-src 'unsafe-inline'",
    'font-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; ');
}

/**
 * The second line, where a policy does not reach (browsers connect ahead for `link` and for frames before they ask it)
 * or is not there (a saved copy). Names are changed and a first attribute is put in, of two with one name the first
 * counts (HTML 13.2.5.33). Nothing is cut out and no quotes are added, so nothing new can come to be.
 */
function disarm(html: string): string {
  return html
    .replace(/<(?:link|meta)(?=[\s/>])/gi, '<meta http-equiv=disarmed')
    .replace(/<script(?=[\s/>])/gi, '<script type=text/plain')
    .replace(/<(\/?)(iframe|frame|fencedframe|portal|object|embed)(?=[\s/>])/gi, '<$1x-$2');
}

function decoded(reference: string): string {
  try {
    return decodeURIComponent(reference);
  } catch {
    return reference;
  }
}

function inlineImages(html: string, images: ReadonlyMap<string, InlineImage>): string {
  const uris = new Map<string, string>();
  let room = MAX_INLINED_BYTES;
  return html.replace(CID, (whole: string, before: string, reference: string) => {
    const cid = decoded(reference);
    const image = images.get(cid);
    if (!image) return whole;
    const uri = uris.get(cid) ?? `data:${image.contentType};base64,${image.bytes.toString('base64')}`;
    if (uri.length > room) return whole;
    uris.set(cid, uri);
    room -= uri.length;
    return before + uri;
  });
}

/**
 * The html of a mail as the frame shows it: its own images written in, links open elsewhere. Safe only under
 * `framePolicy`.
 */
export function frameHtml(html: string, images: ReadonlyMap<string, InlineImage>): string {
  const doctype = DOCTYPE.exec(html)?.[0] ?? '';
  return `${doctype}<base target="_blank">${inlineImages(disarm(html.slice(doctype.length)), images)}`;
}
