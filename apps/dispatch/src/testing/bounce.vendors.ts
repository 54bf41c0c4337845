import { ADA, dsn, mail, plainReport, RETURNED_MAIL, type BounceMail } from './bounce.parts';

/** Reports from more servers and in more languages, in our own words. */

const DAEMON = 'MAILER-DAEMON@mx.example.net';

/** A report for people, with the returned mail beside it. */
function multipartReport(subject: string, lines: string[]): string {
  return mail(
    'Return-Path: <>',
    'From: postmaster@example.net',
    'To: shop@example.com',
    `Subject: ${subject}`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain; charset=utf-8',
    '',
    ...lines,
    '',
    '--b',
    'Content-Type: message/rfc822',
    '',
    ...RETURNED_MAIL,
    '',
    '--b--',
  );
}

/** Exchange in several languages: subject, the line that announces the recipients, what it says about one. */
const EXCHANGE_WORDS: Record<string, [subject: string, announced: string, said: string]> = {
  German: [
    'Unzustellbar',
    'Fehler bei der Nachrichtenzustellung an folgende Empfänger:',
    'Die Adresse existiert nicht.',
  ],
  French: ['Non remis', 'Échec de la remise pour ces destinataires :', "L'adresse e-mail entrée est introuvable."],
  Spanish: ['No se puede entregar', 'Error de entrega para los destinatarios siguientes:', 'La dirección no existe.'],
  Italian: ['Non recapitabile', 'Recapito non riuscito per i seguenti destinatari:', 'Indirizzo non trovato.'],
  Portuguese: [
    'Não é possível entregar',
    'Falha na Entrega para estes destinatários:',
    'O endereço não foi encontrado.',
  ],
  Dutch: ['Onbestelbaar', 'Kan bericht niet bezorgen aan deze geadresseerden:', 'Het adres bestaat niet.'],
  Swedish: [
    'Går inte att leverera',
    'Leveransen till följande mottagare misslyckades:',
    'E-postadressen hittades inte.',
  ],
  Danish: ['Kan ikke leveres', 'Levering mislykkedes for følgende modtagere:', 'Mailadressen blev ikke fundet.'],
  Polish: ['Niedostarczalne', 'Dostarczenie do tych adresatów nie powiodło się:', 'Nie znaleziono adresu e-mail.'],
  Czech: ['Nedoručitelné', 'Doručení těmto příjemcům se nezdařilo:', 'Adresa nebyla nalezena.'],
  Turkish: ['Teslim edilemedi', 'Aşağıdaki alıcılara teslim edilemedi:', 'E-posta adresi bulunamadı.'],
  Russian: ['Недоставленное сообщение', 'Не удалось доставить следующим получателям:', 'Адрес не найден.'],
  Chinese: ['未送达', '未能向这些收件人传递邮件:', '找不到收件人的地址。'],
  Japanese: ['配信不能', '次の受信者への配信に失敗しました:', 'メール アドレスは見つかりませんでした。'],
  Korean: ['배달되지 않음', '다음 받는 사람에게 배달하지 못했습니다.', '전자 메일 주소를 찾을 수 없습니다.'],
};

export const VENDOR_BOUNCES: BounceMail[] = [
  ...Object.entries(EXCHANGE_WORDS).map(([language, [subject, announced, said]]) => ({
    name: `Exchange, ${language}`,
    raw: multipartReport(`${subject}: Your order`, [announced, '', 'ada@example.org', said]),
    kind: 'bounce',
    hard: true,
    recipients: ADA,
  })),
  {
    name: 'Exchange of old, an X.400 address after the list that the mail was written to',
    raw: multipartReport('Undeliverable: Your order', [
      'Your message',
      '',
      '  To:      list@example.com',
      '  Subject: Your order',
      '',
      'did not reach the following recipient(s):',
      '',
      'c=DE;a= ;p=EX;o=One;dda:SMTP=ada@example.org; on Thu, 5 Mar 2026',
      '    Unknown Recipient',
    ]),
    kind: 'bounce',
    hard: true,
    recipients: ADA,
  },
  {
    name: 'Exim, the address kept secret and named as the origin of it',
    raw: plainReport(DAEMON, 'Mail delivery failed: returning message to sender', [
      'The following address(es) failed:',
      '',
      '  an undisclosed address',
      '    (generated from ada@example.org)',
      '    no such user here',
    ]).replace('To: Ada <ada@example.org>', 'To: undisclosed-recipients:;'),
    kind: 'bounce',
    hard: true,
    recipients: ADA,
  },
  {
    name: 'a gateway by its address',
    raw: plainReport(
      'E500_SMTP_Mail_Service@example.net',
      'Returned Mail - Error During Delivery',
      ['------ Failed Recipients ------', '', '<ada@example.org>: Message refused. [SMTP Error Code 554]'],
      '-------- Returned Mail --------',
    ).replace('Return-Path: <>\r\n', ''),
    kind: 'bounce',
    hard: false,
    recipients: ADA,
  },
  {
    name: 'a gateway that tries on',
    raw: plainReport('Virus_Scanner_for_SMTP_Gateways@example.net', 'Delivery failure notification', [
      'Your message could not be delivered to the following recipients:',
      '',
      'ada@example.org',
      '',
      'Delivery attempts will continue to be made for 5 day(s).',
    ]),
    kind: 'delayed',
    hard: false,
    recipients: ADA,
  },
  {
    name: 'a sender without any name',
    raw: plainReport('<>', 'Your mail', ['You sent mail to ada@example.org.', "That's not a valid user here."]),
    kind: 'bounce',
    hard: true,
    recipients: ADA,
  },
  {
    name: 'Dovecot, which refuses by a receipt',
    raw: plainReport('Mail Delivery Subsystem <admin@example.net>', 'Automatically rejected mail', [
      'Your message to <ada@example.org> was automatically rejected:',
      'Quota exceeded',
    ]).replace('\r\n\r\n', '\r\nContent-Type: text/plain; report-type=disposition-notification\r\n\r\n'),
    kind: 'bounce',
    hard: false,
    recipients: ADA,
  },
  {
    name: 'an answer of several lines, the address right after its code',
    raw: plainReport(DAEMON, 'Undeliverable mail', [
      'A server said:',
      '550-ada@example.org is not known here',
      '550 User unknown',
    ]),
    kind: 'bounce',
    recipients: ADA,
  },
  {
    name: 'PowerMTA, which will not go on',
    raw: plainReport(DAEMON, 'Delivery report', [
      '  <ada@example.org>  delivery failed; will not continue trying',
      '',
      'bad-mailbox: 550 5.1.1 user unknown',
    ]),
    kind: 'bounce',
    hard: true,
    status: '5.1.1',
    recipients: ADA,
  },
  {
    name: 'codes in brackets after a command',
    raw: plainReport(DAEMON, 'Failed to deliver message', [
      "<ada@example.org> (host mx rejected command 'RCPT TO:<ada@example.org>' with code 550 (5.1.1) 'User unknown')",
    ]),
    kind: 'bounce',
    hard: true,
    status: '5.1.1',
    recipients: ADA,
  },
  {
    name: 'a gateway of phones that quotes RFC 5321',
    raw: plainReport('post_master@phones.example', 'Undeliverable Message', [
      'Error:     550 - Requested action not taken: no such user here',
      '',
      'To:        ada@example.org',
    ]),
    kind: 'bounce',
    hard: true,
    recipients: ADA,
  },
  {
    name: 'Japanese without a word of its charset',
    raw: plainReport(DAEMON, 'Mail', ['\u001b$B0lJ}$KG[?.$G$-$^$;$s\u001b(B', 'ada@example.org']),
    kind: 'bounce',
    hard: false,
    recipients: ADA,
  },
  {
    name: 'an unknown charset',
    raw: plainReport(DAEMON, 'Mail', ['\ufffd\ufffd\ufffd\ufffd\ufffdada@example.org\ufffd\ufffd']),
    kind: 'bounce',
    hard: false,
    recipients: ADA,
  },
  {
    name: 'advice on what may be the cause, beside what was',
    raw: plainReport(DAEMON, 'Undelivered mail', [
      'ada@example.org: connection timed out',
      '',
      'Please check that the address is not invalid. Common causes are: unknown user, full mailbox.',
    ]),
    kind: 'bounce',
    hard: false,
    recipients: ADA,
  },
  {
    name: 'IMail, the answer after its command',
    raw: plainReport('postmaster@example.net', 'Undeliverable Mail', [
      'Unknown user: ada@example.org',
      '',
      'RCPT TO generated following response:',
      '553 5.3.0 <ada@example.org>... Addressee unknown',
    ]),
    kind: 'bounce',
    hard: true,
    recipients: ADA,
  },
  {
    name: 'hMailServer, a transcript in sentences',
    raw: plainReport(DAEMON, 'Message undeliverable: Your order', [
      'The following recipient(s) could not be reached:',
      '',
      'ada@example.org',
      '   Error Type: SMTP',
      '   hMailServer sent: RCPT TO:<ada@example.org>',
      '   Remote server replied: 550 Unknown user',
    ]),
    kind: 'bounce',
    hard: true,
    recipients: ADA,
  },
  {
    name: 'a status without an answer, and the words of a scanner below the report',
    raw: dsn(
      ['Final-Recipient: rfc822; ada@example.org', 'Action: failed', 'Status: 5.1.1'],
      '<ada@example.org>\r\n____\r\nThis e-mail has been scanned for viruses and spam.',
    ),
    kind: 'bounce',
    hard: true,
    status: '5.1.1',
    recipients: ADA,
  },
  {
    name: 'a domain that is none, and a copy to the sender',
    raw: dsn(['Final-Recipient: rfc822; ada@#example.org', 'Action: failed', 'Status: 5.1.2']).replace(
      'To: Ada <ada@example.org>',
      'To: Ada <ada@#example.org>\r\nCc: shop@example.com',
    ),
    kind: 'bounce',
    hard: true,
    recipients: ['ada@#example.org'],
  },
];
