import { copiesOf, type CopyEntry, type Recipient, type ReportedAttempt, type ReportedMessage } from './entries';
import type { Complain } from './verdict';

const MAY_HAVE_ARRIVED = ['sent', 'unknown'];
const DECIDED = ['sent', 'bounced'];

const countOutcomes = (attempts: ReportedMessage['attempts'], ...outcomes: string[]) =>
  attempts.filter(({ outcome }) => outcomes.includes(outcome)).length;

/** Even an attempt whose end nobody saw was over when it was reported: its process may not go on with it. */
function canHaveMade({ outcome, at, ended_at }: ReportedAttempt, mail: CopyEntry): boolean {
  return outcome !== 'deferred' && Date.parse(at) <= mail.at && mail.at <= Date.parse(ended_at);
}

/** Checks that the attempts explain all mails to a recipient and to its copies, and that none is missing. */
export function judgeCopies(
  recipient: Recipient,
  message: ReportedMessage,
  mails: CopyEntry[],
  complain: Complain,
): void {
  const { address } = recipient;
  const { message_id, attempts } = message;
  const decided = attempts.findIndex(({ outcome }) => DECIDED.includes(outcome));
  // Once an attempt has decided about the recipient, each further one is for copies alone.
  const [forAll, forCopies] =
    decided < 0 ? [attempts, []] : [attempts.slice(0, decided + 1), attempts.slice(decided + 1)];
  const mailsToMain = mails.filter(({ to }) => to.includes(address)).length;
  const mailsToCopiesAlone = mails.length - mailsToMain;
  const possibleMails = countOutcomes(forAll, ...MAY_HAVE_ARRIVED);
  const possibleMailsToCopiesAlone =
    countOutcomes(forAll, 'bounced', 'unknown') + countOutcomes(forCopies, ...MAY_HAVE_ARRIVED);
  const mailsByCopy = copiesOf(recipient).map(
    (copy) => [copy, mails.filter(({ to }) => to.includes(copy)).length] as const,
  );
  const repeated = mailsByCopy.find(([, count]) => count > 1 + countOutcomes(attempts, 'unknown'));
  const misdated = mails.find((mail) => !attempts.some((attempt) => canHaveMade(attempt, mail)));
  if (mailsToMain > possibleMails)
    complain('unexplained', `${mailsToMain} mails to ${address}, ${possibleMails} attempts (${message_id})`);
  else if (mailsToCopiesAlone > possibleMailsToCopiesAlone)
    complain('unexplained', `${mailsToCopiesAlone} mails to the copies of ${address} alone (${message_id})`);
  else if (repeated) complain('unexplained', `${repeated[1]} mails to ${repeated[0]} (${message_id})`);
  else if (misdated) complain('misdated', `a mail to ${misdated.to.join()} at ${misdated.at} (${message_id})`);
  for (const [copy, count] of mailsByCopy) judgeMissing(copy, message, mailsToMain, count, complain);
}

function judgeMissing(
  copy: string,
  message: ReportedMessage,
  mailsToMain: number,
  mailsToCopy: number,
  complain: Complain,
): void {
  const { message_id, state, attempts, next_attempt_at } = message;
  if (DECIDED.includes(state) && next_attempt_at) complain('unsettled', `${message_id} to ${copy} is put off`);
  const deferredCopies = attempts.flatMap(({ copies }) => copies ?? []);
  // An attempt of unknown outcome may have deferred it; nobody knows.
  const unexplainedGap = deferredCopies.length === 0 && mailsToCopy + countOutcomes(attempts, 'unknown') < mailsToMain;
  const wasDue = deferredCopies.length > 0 && (mailsToMain > 0 || countOutcomes(attempts, 'bounced') > 0);
  const wasGivenUp = deferredCopies.some(({ given_up }) => given_up.some(({ address }) => address === copy));
  if (unexplainedGap || (wasDue && mailsToCopy === 0 && !wasGivenUp))
    complain('lost', `${message_id} never came to ${copy}`);
}
