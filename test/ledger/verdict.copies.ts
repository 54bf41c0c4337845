import type { CopyEntry, Recipient, ReportedMessage } from './entries';
import type { FaultKind } from './verdict';

type Complain = (kind: FaultKind, what: string) => void;

const MAY_HAVE_ARRIVED = ['sent', 'unknown'];
const DECIDED = ['sent', 'bounced'];

const countOutcomes = (attempts: ReportedMessage['attempts'], ...outcomes: string[]) =>
  attempts.filter(({ outcome }) => outcomes.includes(outcome)).length;

/** Checks that the attempts explain all mails to a recipient and to its cc, and that none is missing. */
export function judgeCopies(
  recipient: Recipient,
  message: ReportedMessage,
  mails: CopyEntry[],
  complain: Complain,
): void {
  const { address, cc } = recipient;
  const { message_id, attempts } = message;
  const decided = attempts.findIndex(({ outcome }) => DECIDED.includes(outcome));
  // Once an attempt has decided about the recipient, each further one is for the cc alone.
  const [forAll, forCc] = decided < 0 ? [attempts, []] : [attempts.slice(0, decided + 1), attempts.slice(decided + 1)];
  const mailsToMain = mails.filter(({ to }) => to.includes(address)).length;
  const mailsToCc = cc ? mails.filter(({ to }) => to.includes(cc)).length : 0;
  const mailsToCcAlone = mails.length - mailsToMain;
  const possibleMails = countOutcomes(forAll, ...MAY_HAVE_ARRIVED);
  const possibleMailsToCcAlone =
    countOutcomes(forAll, 'bounced', 'unknown') + countOutcomes(forCc, ...MAY_HAVE_ARRIVED);
  if (mailsToMain > possibleMails)
    complain('unexplained', `${mailsToMain} mails to ${address}, ${possibleMails} attempts (${message_id})`);
  else if (mailsToCcAlone > possibleMailsToCcAlone)
    complain('unexplained', `${mailsToCcAlone} mails to ${cc} alone (${message_id})`);
  else if (mailsToCc > 1 + countOutcomes(attempts, 'unknown'))
    complain('unexplained', `${mailsToCc} mails to ${cc} (${message_id})`);
  if (cc) judgeMissing(cc, message, mailsToMain, mailsToCc, complain);
}

function judgeMissing(
  cc: string,
  message: ReportedMessage,
  mailsToMain: number,
  mailsToCc: number,
  complain: Complain,
): void {
  const { message_id, state, attempts, next_attempt_at } = message;
  if (DECIDED.includes(state) && next_attempt_at) complain('unsettled', `${message_id} to ${cc} is put off`);
  const deferredCopies = attempts.flatMap(({ copies }) => copies ?? []);
  // An attempt of unknown outcome may have deferred it; nobody knows.
  const unexplainedGap = deferredCopies.length === 0 && mailsToCc + countOutcomes(attempts, 'unknown') < mailsToMain;
  const wasDue = deferredCopies.length > 0 && (mailsToMain > 0 || countOutcomes(attempts, 'bounced') > 0);
  const wasGivenUp = deferredCopies.some(({ given_up }) => given_up.some(({ address }) => address === cc));
  if (unexplainedGap || (wasDue && mailsToCc === 0 && !wasGivenUp))
    complain('lost', `${message_id} never came to ${cc}`);
}
