/** What a recipient's server does wrong, and how often before it behaves. */
export interface MailFault {
  /** How often; Infinity means always. */
  times: number;
  /** At RCPT. */
  rcpt?: Misstep;
  /** Instead of 354. */
  data?: Misstep;
  /** In the middle of the content. */
  content?: 'cut';
  /** After the final dot, without keeping a copy. */
  refuse?: Misstep;
  /** After the final dot, once a copy is kept. */
  keep?: Misstep;
  /** Milliseconds to wait before the last reply. */
  delay?: number;
}

/** `cut` ends the connection, `reset` resets it (what was sent before may be lost), `hang` says nothing for a long time. */
export type Misstep = 'cut' | 'reset' | 'hang' | { say: string };

const say = (text: string): { say: string } => ({ say: `${text}\r\n` });
const OVERSIZED = say(`250 ${'x'.repeat(100_000)}`);

/** By the local part of the address, up to the first dash. */
const MAIL_FAULTS = {
  ok: { times: 0 },
  later1: { times: 1, rcpt: say('451 4.7.1 greylisted, come back later') },
  later3: { times: 3, rcpt: say('452 4.2.2 mailbox full') },
  dotlater: { times: 2, refuse: say('451 4.3.0 try again') },
  /** For copies, at any place in the envelope. */
  cclater: { times: 2, rcpt: say('450 4.2.0 greylisted, come back later') },
  ccrefused: { times: Infinity, rcpt: say('550 5.1.1 no such user here') },
  refused: { times: Infinity, rcpt: say('550 5.1.1 no such user here') },
  rejected: { times: Infinity, refuse: say('554 5.7.1 we do not want this') },
  cutrcpt: { times: 1, rcpt: 'cut' },
  resetrcpt: { times: 1, rcpt: 'reset' },
  cutdata: { times: 1, data: 'cut' },
  cutcontent: { times: 1, content: 'cut' },
  cutdot: { times: 1, keep: 'cut' },
  resetdot: { times: 1, keep: 'reset' },
  lostdot: { times: 1, refuse: 'cut' },
  slow: { times: Infinity, delay: 400 },
  tarpit: { times: 1, rcpt: 'hang' },
  tardot: { times: 1, keep: 'hang' },
  garbage: { times: 1, rcpt: say('blurb blurb') },
  garbagedot: { times: 1, keep: say('blurb blurb') },
  garbagedata: { times: 1, data: say('\u0000\u0001\u0002') },
  oversized: { times: 1, rcpt: OVERSIZED },
  oversizeddot: { times: 1, keep: OVERSIZED },
  wrongdata: { times: 1, data: say('250 2.0.0 ok, what now') },
  wrongdot: { times: 1, keep: say('354 go on') },
  oddrcpt: { times: 1, rcpt: say('999 9.9.9 what') },
  odddot: { times: 1, keep: say('099 ok') },
  closing: { times: 1, rcpt: say('421 4.3.2 closing down') },
} satisfies Record<string, MailFault>;

export type MailKind = keyof typeof MAIL_FAULTS;

export function faultOf(address: string): MailFault {
  const kind = address.slice(0, address.indexOf('-'));
  return Object.hasOwn(MAIL_FAULTS, kind) ? MAIL_FAULTS[kind as MailKind] : MAIL_FAULTS.ok;
}
