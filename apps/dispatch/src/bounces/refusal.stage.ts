/** Words that say which SMTP command was refused; before the recipient is named, an answer says nothing about the mailbox. */
const SENDER_REFUSED =
  /(?:in reply to|(?:after|following)|did not like our|(?:step|command|reply to):?\s{1,4}) ?(?:mail from|mail command|ehlo|helo|initial connection)\b|refused to talk to me|sender was rejected|server rejected mail from|\[(?:mail_from|ehlo|helo|connect)\]/i;
/** After the recipient, a filter may have refused the content. */
const CONTENT_REFUSED =
  /(?:in reply to|after|following) (?:end of data|data)|did not like our (?:final )?data|(?:step|command|reply to):?\s{1,4}data\b|after i sent the message|\[data(?:_end)?\]|\(state 1[5-9]\)/i;
const RECIPIENT_REFUSED: readonly RegExp[] = [
  /(?:in reply to|after|following|response to|for) rcpt (?:to|command)|\[rcpt_to\]|requested action not taken: (?:mailbox|user|no such|unknown)|did not like (?:our rcpt to|recipient)|does not like recipient|progress was rcpt|rcpt to generated|\(state 1[34]\)|rejected (?:the )?(?:recipient )?address|rejected command '?rcpt|smtp:rcpt/i,
  /\b50[13][ -].{0,60}(?:rcpt|recipient)|\b554[ -].{0,40}no valid recipients|recipient address rejected/i,
];
/** Lines of a transcript: a command that was sent, and a refusal. */
const SENT_COMMAND =
  /(?:>>>|-->)\s{0,4}(MAIL FROM|RCPT TO|DATA|EHLO|HELO|\.)|\bsent:?\s{0,4}(?:<<<\s{0,4})?(MAIL FROM|RCPT TO|DATA\b|EHLO|HELO)/i;
const RECEIVED_REFUSAL = /(?:<<<|<--|\breceived:?(?: >>>)?|\b(?:replied|answered|responded):?)\s{0,4}[45]\d\d/i;
const SMTP_COMMAND = /-+\s{0,4}smtp command\s{0,4}\n\s{0,4}(MAIL FROM|DATA|RCPT TO)/i;

/** In a transcript: the last command before the first refusal. */
function refusedCommand(words: string): string | undefined {
  let command: string | undefined;
  for (const line of words.split('\n')) {
    if (command !== undefined && RECEIVED_REFUSAL.test(line)) return command;
    const [, shown, named] = SENT_COMMAND.exec(line) ?? [];
    command = shown ?? named ?? command;
  }
  return undefined;
}

/**
 * The reporting server itself says which command was answered: that counts for more than the words of the answer, which may be phrases that
 * RFC 5321 gives for anything.
 */
const ANSWERED_COMMAND = /\bin reply to (?:the )?(?:end of )?(mail from|ehlo|helo|rcpt to|data)\b/i;

/**
 * Yahoo, Mail.ru and others look for the mailbox only once they have the mail: these answers are about the recipient, whatever command they
 * reply to. So is one that names the argument of RCPT; "user unknown" is not, even with the address.
 */
const MAILBOX_LOOKED_FOR_LATE =
  /\bdelivery error: dd\b|\brequested mail action aborted, mailbox not found\b|\bnot accepted -- invalid mailbox\b|\brcpt(?: to)?:? ?<[^<>\s]{1,320}> (?:does(?: not|n't) exist|is unknown|not found)\b/i;

/** The stage of the SMTP conversation at which the refusal came, as far as its words tell. */
export type RefusalStage = 'sender' | 'recipient' | 'content' | 'unknown';

export function stageOf(diagnostic: string, words: string): RefusalStage {
  const text = `${diagnostic}\n${words}`.replace(/\s+/g, ' ');
  if (MAILBOX_LOOKED_FOR_LATE.test(text)) return 'recipient';
  const answered = ANSWERED_COMMAND.exec(text)?.[1];
  if (answered !== undefined) return stageOfCommand(answered);
  if (RECIPIENT_REFUSED.some((rule) => rule.test(text))) return 'recipient';
  if (SENDER_REFUSED.test(text)) return 'sender';
  if (CONTENT_REFUSED.test(text)) return 'content';
  const command = refusedCommand(words) ?? SMTP_COMMAND.exec(words)?.[1];
  return command === undefined ? 'unknown' : stageOfCommand(command);
}

function stageOfCommand(command: string): RefusalStage {
  if (/^rcpt/i.test(command)) return 'recipient';
  return /^(?:data|\.)/i.test(command) ? 'content' : 'sender';
}
