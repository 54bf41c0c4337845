import type { Address } from '@lettermill/events';
import { wireAddress } from '../smtp/smtp.envelope';
import { readsAsWritten } from './mime.headers';
import { FoldedLine } from './mime.lines';

const ATOMS = /^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+(?: [A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+)*$/;
const PRINTABLE = /^[\x20-\x7e]*$/;
const CONTROL = /[\u0000-\u001f\u007f]/;
/** An address that needs no angle brackets: no quoted local part, no characters that separate addresses. */
const BARE = /^[^\s"(),:;<>@[\\\]]+@[^\s"(),:;<>@[\\\]]+$/;
/** A quoted name is one token, which cannot be folded in a way that all readers accept; a longer one is sent as encoded words. */
const LONGEST_QUOTED = 60;
const LONGEST_WORD = 200;

/**
 * An address field (RFC 5322 section 3.4), folded, with its line end. Names are atoms, a quoted string or encoded words; domains are in
 * A-labels; a local part stays as it is, even in UTF-8 (RFC 6532). Throws if an address contains control characters.
 */
export function addressField(name: string, addresses: readonly Address[]): string {
  const line = new FoldedLine(name);
  addresses.forEach((address, index) => {
    if (index > 0) line.glue(',');
    mailbox(line, address);
  });
  return `${line.text}\r\n`;
}

function mailbox(line: FoldedLine, { email, name }: Address): void {
  if (CONTROL.test(email)) throw new Error('An address holds a control character.');
  const address = wireAddress(email);
  if (!name) return line.token(BARE.test(address) ? address : `<${address}>`);
  displayName(line, name);
  line.token(`<${address}>`);
}

function displayName(line: FoldedLine, name: string): void {
  const plain = readsAsWritten(name) && PRINTABLE.test(name);
  if (plain && ATOMS.test(name) && !hasLongWord(name)) {
    for (const word of name.split(' ')) line.token(word);
  } else if (plain && name.length <= LONGEST_QUOTED) {
    line.token(`"${name.replace(/["\\]/g, '\\$&')}"`);
  } else {
    line.words(name);
  }
}

function hasLongWord(name: string): boolean {
  return name.length > LONGEST_WORD && name.split(' ').some((word) => word.length > LONGEST_WORD);
}
