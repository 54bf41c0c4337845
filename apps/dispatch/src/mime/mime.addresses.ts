import type { Address } from '@lettermill/events';
import { wireAddress } from '../smtp/smtp.envelope';
import { readsAsWritten } from './mime.headers';
import { FoldedLine } from './mime.lines';

const ATOMS = /^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+(?: [A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+)*$/;
const PRINTABLE = /^[\x20-\x7e]*$/;
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;
/** An address that needs no angle brackets: no quoted local part, no characters that separate addresses. */
const BARE_ADDRESS = /^[^\s"(),:;<>@[\\\]]+@[^\s"(),:;<>@[\\\]]+$/;
/** A shorter name is not folded: some readers keep the fold. */
const MIN_FOLDED_LENGTH = 60;
/**
 * A quoted name is one token, which cannot be folded in a way that all readers accept. A longer one is sent as encoded words, though spam
 * filters hold that against ASCII.
 */
const MAX_TOKEN_LENGTH = 200;

/**
 * An address field (RFC 5322 section 3.4), folded, with its line end. Names are atoms, a quoted string or encoded words; domains are in
 * A-labels; a local part stays as it is, even in UTF-8 (RFC 6532). Throws if an address contains control characters.
 */
export function addressField(name: string, addresses: readonly Address[]): string {
  const line = new FoldedLine(name);
  addresses.forEach((address, index) => {
    if (index > 0) line.glue(',');
    addMailbox(line, address);
  });
  return `${line.text}\r\n`;
}

function addMailbox(line: FoldedLine, { email, name }: Address): void {
  if (CONTROL_CHARACTER.test(email)) throw new Error('An address holds a control character.');
  const address = wireAddress(email);
  if (!name) return line.addToken(BARE_ADDRESS.test(address) ? address : `<${address}>`);
  addDisplayName(line, name);
  line.addToken(`<${address}>`);
}

function addDisplayName(line: FoldedLine, name: string): void {
  if (!readsAsWritten(name) || !PRINTABLE.test(name)) return line.addEncodedWords(name);
  if (!ATOMS.test(name)) {
    if (name.length > MAX_TOKEN_LENGTH) return line.addEncodedWords(name);
    return line.addToken(`"${name.replace(/["\\]/g, '\\$&')}"`);
  }
  if (name.length <= MIN_FOLDED_LENGTH) return line.addToken(name);
  const words = name.split(' ');
  if (words.some((word) => word.length > MAX_TOKEN_LENGTH)) return line.addEncodedWords(name);
  for (const word of words) line.addToken(word);
}
