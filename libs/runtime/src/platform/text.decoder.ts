const EURO = Uint8Array.of(0x80);

/**
 * Node 20.18.3 and later (nodejs/node#56542) reads windows-1252, and all that is read as it, as Latin-1: quotes, dashes and the euro
 * become control characters. In pieces it reads rightly, and so it does here what is whole.
 */
export function mendTextDecoder(): void {
  if (new TextDecoder('windows-1252').decode(EURO) === '€') return;
  const decode = TextDecoder.prototype.decode;
  TextDecoder.prototype.decode = function (this: InstanceType<typeof TextDecoder>, input, options) {
    if (this.encoding !== 'windows-1252' || options?.stream) return decode.call(this, input, options);
    return decode.call(this, input, { stream: true }) + decode.call(this);
  };
}
