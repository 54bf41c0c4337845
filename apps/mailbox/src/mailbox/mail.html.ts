/** An image that is part of the mail, referred to by its Content-ID. */
export interface InlineImage {
  contentType: string;
  bytes: Buffer;
}

/** Html may refer to one image any number of times; this limits the total that is inlined. */
const MAX_INLINED_BYTES = 32 * 1024 * 1024;
const CID_REFERENCE = /(["'(=]\s*)cid:([^"'()\s<>]+)/gi;
const DOCTYPE = /^\s*<!doctype[^>]{0,500}>/i;

/**
 * What a mail may do when it is shown: only be displayed. No scripts, forms, frames, plug-ins or requests, and an origin of its own, even
 * when it is opened outside the page's frame. With `remote`, images may be loaded by https.
 */
export function framePolicy(remote: boolean): string {
  return [
    // Without allow-scripts, a meta refresh does nothing either. Links open in new windows.
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
 * A second line of defence where a policy does not apply in time (browsers preconnect for `link` and frames before they check it) or is
 * missing (a saved copy). Elements are renamed, and an attribute is inserted first: of two with the same name the first counts (HTML
 * 13.2.5.33). Nothing is removed and no quotes are added, so no new markup can arise.
 */
function disarm(html: string): string {
  return html
    .replace(/<(?:link|meta)(?=[\s/>])/gi, '<meta http-equiv=disarmed')
    .replace(/<script(?=[\s/>])/gi, '<script type=text/plain')
    .replace(/<(\/?)(iframe|frame|fencedframe|portal|object|embed)(?=[\s/>])/gi, '<$1x-$2');
}

const LINK = /<(a|area)(?=[\s/>])/gi;
/** Up to its address, if that is a place in the mail itself. */
const AIMED_AT_PLACE = /<(a|area) target=_blank(?=[^<>]{0,300}?[\s/"']href\s{0,9}=\s{0,9}["']?#)/gi;
/** Millions of links would hold up all else. Links behind this open in a new window by `base`, unless they have a target of their own. */
const MAX_AIMED_CHARS = 1024 * 1024;

/** A link opens a new window, whatever target it has itself: any other the policy forbids, and it would do nothing. */
function aimLinks(html: string): string {
  const aimed = html.slice(0, MAX_AIMED_CHARS).replace(LINK, '<$1 target=_blank');
  return aimed.replace(AIMED_AT_PLACE, '<$1 target=_self') + html.slice(MAX_AIMED_CHARS);
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
  let remainingBytes = MAX_INLINED_BYTES;
  return html.replace(CID_REFERENCE, (whole: string, before: string, reference: string) => {
    const cid = decoded(reference);
    const image = images.get(cid);
    if (!image) return whole;
    const uri = uris.get(cid) ?? `data:${image.contentType};base64,${image.bytes.toString('base64')}`;
    if (uri.length > remainingBytes) return whole;
    uris.set(cid, uri);
    remainingBytes -= uri.length;
    return before + uri;
  });
}

/** The html of a mail as the frame shows it: its own images are inlined, and links open in a new window. Safe only under `framePolicy`. */
export function frameHtml(html: string, images: ReadonlyMap<string, InlineImage>): string {
  const doctype = DOCTYPE.exec(html)?.[0] ?? '';
  return `${doctype}<base target="_blank">${inlineImages(aimLinks(disarm(html.slice(doctype.length))), images)}`;
}
