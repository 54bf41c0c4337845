const EURO = Uint8Array.of(0x80);

/**
 * Works around nodejs/node#56542: from 20.18.3 on, Node decodes windows-1252, and all labels that stand for it, as Latin-1, so that
 * quotes, dashes and the euro become control characters. Streaming decodes correctly, so whole texts are decoded as a stream here.
 */
export function mendTextDecoder(): void {
  if (new TextDecoder('windows-1252').decode(EURO) === '€') return;
  const decode = TextDecoder.prototype.decode;
  TextDecoder.prototype.decode = function (this: InstanceType<typeof TextDecoder>, input, options) {
    if (this.encoding !== 'windows-1252' || options?.stream) return decode.call(this, input, options);
    return decode.call(this, input, { stream: true }) + decode.call(this);
  };
}
