import { createHmac } from 'node:crypto';
import { credentialsFault, loginFault, tlsFault } from './smtp.fault';
import type { SmtpWire } from './smtp.wire';

interface Credentials {
  user: string;
  pass: string;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const ACCEPTED = /^2\d\d/;
const CHALLENGE = /^334(?: |$)/;
/** The server hears no login before TLS (RFC 3207 section 4; RFC 4954 section 6). */
const NEEDS_TLS = /^53[08]/;

/**
 * Logs in (RFC 4954) by the first of PLAIN, LOGIN and CRAM-MD5 that is offered. Rejects with `HopFault` if none is, or if it is refused.
 * A password is not tried where it is not asked for: the refusal would read as if it were wrong.
 */
export async function logIn(wire: SmtpWire, credentials: Credentials, offered: readonly string[]): Promise<void> {
  const answer = await authenticate(wire, credentials, offered);
  if (NEEDS_TLS.test(answer)) throw tlsFault('it takes no login without TLS', answer);
  if (!ACCEPTED.test(answer)) throw credentialsFault(answer);
}

function authenticate(wire: SmtpWire, { user, pass }: Credentials, offered: readonly string[]): Promise<string> {
  if (offered.includes('PLAIN')) return wire.ask(`AUTH PLAIN ${base64(`\0${user}\0${pass}`)}`);
  if (offered.includes('LOGIN')) return answerChallenges(wire, 'AUTH LOGIN', [() => base64(user), () => base64(pass)]);
  if (offered.includes('CRAM-MD5'))
    return answerChallenges(wire, 'AUTH CRAM-MD5', [(challenge) => base64(`${user} ${digest(challenge, pass)}`)]);
  throw loginFault(offered);
}

/** Responds to each challenge in turn; the first answer that is not a challenge ends it. */
async function answerChallenges(
  wire: SmtpWire,
  command: string,
  responses: ((challenge: string) => string)[],
): Promise<string> {
  let answer = await wire.ask(command);
  for (const response of responses) {
    if (!CHALLENGE.test(answer)) return answer;
    answer = await wire.ask(response(answer.slice(4)));
  }
  return answer;
}

/** RFC 2195. */
function digest(challenge: string, pass: string): string {
  return createHmac('md5', pass).update(Buffer.from(challenge, 'base64')).digest('hex');
}
