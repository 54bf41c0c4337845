import type { ReplyRule } from './reply.rule';

/** 5xx in other tongues than English: of the sender, the full mailbox, the unknown one. */
export const TONGUES: ReplyRule[] = [
  {
    code: '5',
    text: /(absender|exp.diteur|remitente|mittente|remetente).{0,30}(unbekannt|ung.ltig|abgelehnt|inconnu|invalid|refus|desconocid|rechazad|sconosciut|rifiutat|desconhecid|recusad)/i,
    action: 'bounced',
    reason: 'policy_refused',
    hard: false,
    sample: '550 Absenderadresse unbekannt',
  },
  {
    code: '5',
    text: /(bo.te|casella|cassetta|casilla|buz.n|caixa|postfach|mailbox|mappe).{0,30}(plein|saturée|piena|llen[ao]|chei[ao]|voll|.berf.llt|vol\b|full)|ящик.{0,20}(переполнен|полон)|(邮箱|信箱|郵箱).{0,10}(已满|已滿|满了)|(容量|メールボックス).{0,20}(超過|一杯|いっぱい)/iu,
    action: 'bounced',
    reason: 'mailbox_full',
    hard: false,
    sample: '550 La boite du destinataire est pleine',
  },
  {
    code: '5',
    text: /(utilisateur|compte|adresse|bo.te).{0,20}(inconnue?|inexistante?|n'existe pas)|(destinatario|utente|casella|indirizzo|usuario|cuenta|direcci.n|buz.n).{0,20}(sconosciut|inesistente|inexistente|desconocid|no existe|non esiste)|(destinat.rio|usu.rio|caixa|endere.o).{0,20}(inexistente|desconhecid|n.o existe)/i,
    action: 'bounced',
    reason: 'mailbox_unknown',
    hard: true,
    sample: '550 Casella inesistente',
  },
  {
    code: '5',
    text: /(benutzer|empf(.|ae)nger|adresse|postfach|konto|teilnehmer).{0,20}(unbekannt|existiert nicht|nicht (vorhanden|gefunden|bekannt))|(ukjent|ok.nd) (bruker|mottaker|anv.ndare|mottagare)|(gebruiker|ontvanger|mailbox) (onbekend|bestaat niet)|onbekende (gebruiker|ontvanger)/i,
    action: 'bounced',
    reason: 'mailbox_unknown',
    hard: true,
    sample: '550 Benutzer unbekannt',
  },
  {
    code: '5',
    text: /(пользователь|получатель|адресат|ящик|адрес).{0,30}(не (существует|найден)|неизвест)|(nieznany|nie ma takiego) (u.ytkownik|adresat)|(用户|用戶|邮箱|郵箱|账号|帐号|收件人|地址).{0,20}不存在|(宛先|ユーザー?|アドレス|アカウント|メールボックス).{0,20}(存在し|見つかり)ません|존재하지 않/iu,
    action: 'bounced',
    reason: 'mailbox_unknown',
    hard: true,
    sample: '550 邮箱不存在',
  },
];
