import type { CopyEntry, Recipient, Told } from './entries';
import type { FaultKind } from './verdict';

type Complain = (kind: FaultKind, what: string) => void;

const MADE = ['sent', 'unknown'];
const DECIDED = ['sent', 'bounced'];

const count = (some: Told['attempts'], ...outcomes: string[]) =>
  some.filter(({ outcome }) => outcomes.includes(outcome)).length;

/** Checks that the attempts explain all mails to a recipient and to its cc, and that none is missing. */
export function judgeCopies(recipient: Recipient, told: Told, mails: CopyEntry[], complain: Complain): void {
  const { address, cc } = recipient;
  const { message_id, attempts } = told;
  const decided = attempts.findIndex(({ outcome }) => DECIDED.includes(outcome));
  // Once an attempt has decided about the recipient, each further one is for the cc alone.
  const [forAll, forCc] = decided < 0 ? [attempts, []] : [attempts.slice(0, decided + 1), attempts.slice(decided + 1)];
  const whole = mails.filter(({ to }) => to.includes(address)).length;
  const theirs = cc ? mails.filter(({ to }) => to.includes(cc)).length : 0;
  const alone = mails.length - whole;
  const can = count(forAll, ...MADE);
  const canAlone = count(forAll, 'bounced', 'unknown') + count(forCc, ...MADE);
  if (whole > can) complain('unexplained', `${whole} mails to ${address}, ${can} attempts (${message_id})`);
  else if (alone > canAlone) complain('unexplained', `${alone} mails to ${cc} alone (${message_id})`);
  else if (theirs > 1 + count(attempts, 'unknown')) complain('unexplained', `${theirs} mails to ${cc} (${message_id})`);
  if (cc) judgeMissing(cc, told, whole, theirs, complain);
}

function judgeMissing(cc: string, told: Told, whole: number, theirs: number, complain: Complain): void {
  const { message_id, state, attempts, next_attempt_at } = told;
  if (DECIDED.includes(state) && next_attempt_at) complain('unsettled', `${message_id} to ${cc} is put off`);
  const left = attempts.flatMap(({ copies }) => copies ?? []);
  // An attempt of unknown outcome may have deferred it; nobody knows.
  const untold = left.length === 0 && theirs + count(attempts, 'unknown') < whole;
  const due = left.length > 0 && (whole > 0 || count(attempts, 'bounced') > 0);
  const givenUp = left.some(({ given_up }) => given_up.some(({ address }) => address === cc));
  if (untold || (due && theirs === 0 && !givenUp)) complain('lost', `${message_id} never came to ${cc}`);
}
