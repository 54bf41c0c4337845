import { parseReply } from './reply';
import { classify } from './reply.classify';

const HARD_REASONS = ['mailbox_unknown', 'domain_unknown'];
const meaningsOf = (...answers: string[]) =>
  answers.map((answer) => {
    const { reason, hard } = classify(parseReply(answer)!);
    return { answer, reason, hard };
  });
const all = (reason: string, answers: string[]) =>
  answers.map((answer) => ({ answer, reason, hard: HARD_REASONS.includes(reason) }));

/** What a reply means, and replies that mean it although other words in them could mean something else. */
const MEANINGS: [about: string, reason: string, ...answers: string[]][] = [
  [
    'how many of our recipients are unknown',
    'policy_refused',
    '550 Excessive unknown recipients - we suspect an open relay',
    '550 5.1.1 Excessive unknown recipients from your network',
    '550 Excessive userid unknowns',
    '554 Maximum number of unknown recipients exceeded',
    '550 Max invalid recipients reached for this session',
    '550 Unknown recipients exceed what is allowed here',
    '552 Number of recipients invalid',
    '552 Invalid number of recipients',
  ],
  [
    'the host that connects, by a name or number that is not in DNS',
    'policy_refused',
    '550 5.7.1 Host 192.0.2.7 not found in DNS',
    '550 Host [192.0.2.7] does not exist in DNS',
    '554 no A record, unknown host [192.0.2.7]',
    '550 5.7.1 Unknown host in your HELO',
    '501 Unknown host in EHLO',
    '550 DNS lookup of your mail host failed: nxdomain',
    '550 5.7.1 relay.example.org: host not found',
  ],
  [
    'the sender',
    'policy_refused',
    '550 5.7.1 Mail from a domain that has no MX record is not accepted',
    '550 We take no messages from a domain that does not exist',
    '550 The e-mail address you are sending from does not exist',
    '550 The mailbox this was sent from is unknown',
    '550 5.7.1 The From: address is not a valid address',
    '550 The bounce address is invalid',
    '550 5.7.1 <shop@example.org>: Sender domain does not accept mail (nullMX)',
    "550 5.1.1 Sender not in recipient's contact list; user not known to recipient",
    '550 5.1.0 Address verification in progress',
  ],
  ['the header', 'policy_refused', '550 5.7.1 Unknown user agent', '550 5.7.1 bad address list in the header'],
  [
    'a mailbox that is closed for a while',
    'mailbox_disabled',
    "550 mailbox unavailable: the recipient's mailbox is temporarily locked",
    '550 5.1.1 mailbox unavailable, temporarily suspended',
    '550 no such user: account was temporarily disabled by its owner',
    '550 Temporarily blocked: the mailbox of an unknown user',
    '550 invalid mailbox. Local mailbox is unavailable: user is terminated',
  ],
  [
    'an unknown mailbox, which may also be a closed one',
    'mailbox_unknown',
    '550 Adressat unbekannt oder Mailbox deaktiviert',
    '550 5.1.1 Empfänger existiert nicht oder Konto gesperrt',
    '550 Destinataire inconnu ou boite aux lettres desactivee',
    '550 Compte désactivé ou destinataire inexistant',
    '550 Destinatario sconosciuto o casella disabilitata',
    '550 Cuenta suspendida o usuario inexistente',
    '550 User unknown or mailbox disabled',
  ],
  [
    'an unknown mailbox, in rarer words',
    'mailbox_unknown',
    "550 This server doesn't handle mail for that user",
    '550 This person is not known here',
    '550 No recipient by that name',
    "550 The recipient's mailbox address has been retired",
  ],
  [
    'a mailbox that is full of messages',
    'mailbox_full',
    '550 User has too many messages on the server',
    '550 5.2.2 User has too many messages on the server',
    '552 Mailbox contains too many mails',
    '550 5.2.2 Too many messages here',
  ],
  ['how much is sent', 'policy_refused', '552 User has too many messages in this hour', '550 Too many messages'],
  ['a declared size', 'message_too_large', '534 SIZE=Message too big.', '534 5.0.0 SIZE=Message too big.'],
  [
    'nothing in particular, in words that contain others',
    'refused',
    '550 The address list was enclosed',
    '550 to an address that remains undisclosed',
    '550 account unlocked',
    '554 Service currently unavailable',
    '550 5.3.0 System temporarily unavailable',
    '554 Server is unavailable right now',
  ],
  [
    'a loop',
    'refused',
    '554 Message looping (received 6 times)',
    '554 5.1.1 Message looping between hosts, user unknown',
  ],
  [
    'what filters took for spam',
    'policy_refused',
    '550 Message refused by SpamProfiler',
    '554 Denied by SpamAssassin',
    '550 the antispam gateway said no',
    '554 rejected: SPAMTRAP',
    '550 Mail content denied',
    '550 Suspected bounce attacks',
    '554 DT:SPM 163 mx1,abc',
    '554 MI:SPB 163 mx2,abc',
    '550 MI:NHD 163 mx3,abc',
    '550 5.2.0 Mail rejete. Mail rejected. OFR_506 [506]',
    '554 Email rejected [TSS09] All messages are permanently deferred',
  ],
  [
    'an unknown mailbox, at a server whose name sounds like that of a filter',
    'mailbox_unknown',
    '550 mx.antispam.example said: user unknown',
    '550 spamfilter.example.org: no such user',
  ],
  [
    'an unknown mailbox, in other languages',
    'mailbox_unknown',
    '550 Ο χρήστης δεν υπάρχει',
    '550 Άγνωστος παραλήπτης',
    '550 Utilizatorul nu există',
    '550 Destinatar necunoscut',
    '550 המשתמש לא נמצא',
    '550 المستخدم غير موجود',
    '550 Người dùng không tồn tại',
    '550 Pengguna tidak ditemukan',
    '550 ไม่พบผู้ใช้',
    '550 Потребителят не съществува',
    '550 Корисник не постоји',
    '550 Korisnik ne postoji',
  ],
  [
    'a full mailbox, in other languages',
    'mailbox_full',
    '552 Το γραμματοκιβώτιο είναι πλήρες',
    '552 Căsuța poștală este plină',
    '552 תיבת הדואר מלאה',
    '552 صندوق البريد ممتلئ',
    '552 Hộp thư đã đầy',
    '552 Kotak surat penuh',
    '552 กล่องจดหมายเต็ม',
    '552 Пощенската кутия е пълна',
    '552 Sandučić je pun',
  ],
];

describe('a reply', () => {
  it.each(MEANINGS)('about %s means %s', (_, reason, ...answers) => {
    expect(meaningsOf(...answers)).toEqual(all(reason, answers));
  });
});
