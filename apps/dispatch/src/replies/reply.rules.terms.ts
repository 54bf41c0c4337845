/**
 * How servers of one language name what they refuse, and why. Each is part of a pattern; a dot stands for a letter whose encoding may be
 * broken.
 */
export interface LanguageTerms {
  sender: string;
  mailbox: string;
  domain: string;
  unknown: string;
  full: string;
  closed: string;
  refused: string;
}

const GERMANIC: LanguageTerms[] = [
  {
    sender: 'absender',
    mailbox: 'benutzer|empf(?:.|ae)nger|adressat|adresse|postfach|konto|teilnehmer',
    domain: 'domain|dom.ne|host\\b|rechner',
    unknown:
      'unbekannt|existiert nicht|nicht (?:vorhanden|gefunden|bekannt|existent|g(?:.|ue)ltig)|ung(?:.|ue)ltig|kein(?:en?)? solche',
    full: '\\bvoll|(?:.|ue)berf(?:.|ue)llt|(?:.|ue)berschritten',
    closed: 'gesperrt|deaktiviert|geschlossen|stillgelegt',
    refused: 'abgelehnt|verweigert',
  },
  {
    sender: 'afzender|avs.ndare|afsender|avsender|l.hett.j',
    mailbox:
      'gebruiker|ontvanger|adres|mailbox|mottagare|anv.ndare|brukeren?|mottaker|modtager|bruger|brevl.da|postkasse',
    domain: 'domein|dom.n\\b|dom.ne',
    unknown:
      'onbekende?|bestaat niet|ok.nd|finns inte|hittades inte|ukjent|ukendt|finnes ikke|findes ikke|ikke (?:fundet|funnet)|eksisterer ikke',
    full: '\\bvol\\b|.r full|er fuldt?\\b',
    closed: 'geblokkeerd|uitgeschakeld|sp.rrad|sperret|sp.rret|lukket',
    refused: 'geweigerd|avvisad|avvist|afvist',
  },
];

const ROMANCE: LanguageTerms[] = [
  {
    sender: 'exp.diteur',
    mailbox: 'utilisateur|compte|adresse|bo.te|destinataire',
    domain: 'domaine|h.te',
    unknown: "inconnue?|inexistante?|n'existe pas|introuvable|invalide|non trouv|aucun",
    full: 'plein|satur.e|d.pass.',
    closed: 'd.sactiv|suspendu|bloqu.|ferm.',
    refused: 'refus|rejet',
  },
  {
    sender: 'remitente|mittente|remetente',
    mailbox:
      'destinatario|destin\\.|utente|cas[ei]lla|indirizzo|usuario|persona|cuenta|direcci.n|buz.n|destinat.rio|usu.rio|conta\\b|caixa|endere.o',
    domain: 'dominio|dom.nio',
    unknown:
      'desconocid|errat[oa]|no existe|inexistente|no v.lid|no (?:se )?(?:ha )?encontr|sconosciut|inesistente|non esiste|non valid|non trovat|desconhecid|n.o existe|n.o (?:foi )?encontrad|inv.lid',
    full: 'llen[ao]|excedid|pien[ao]|superat|chei[ao]',
    closed: 'desactivad|suspendid|bloquead|expirad|caducad|disabilitat|sospes|bloccat|desativad|suspens',
    refused: 'rechazad|rifiutat|recusad',
  },
  {
    sender: 'expeditor',
    mailbox: 'utilizator|destinatar|adres|c.su.(?:a|ei)?\\b|cont(?:ul)?\\b',
    domain: 'domeni',
    unknown: 'nu exist|necunoscut|inexistent|nu (?:a fost |este )?g.sit',
    full: '\\bplin',
    closed: 'dezactivat|suspendat|blocat',
    refused: 'respins|refuzat',
  },
];

const SLAVIC: LanguageTerms[] = [
  {
    sender: 'отправител|відправник',
    mailbox: 'пользовател|получател|адресат|уч[её]тн.. запис|аккаунт|ящик|адрес|користувач|одержувач',
    domain: 'домен',
    unknown: 'не (?:существует|найден|зарегистрирован|існує|знайдено)|неизвест|невідом|несуществующ|нет таког',
    full: 'переполнен|полон|превыш|переповнен',
    closed: 'заблокирован|отключ[её]н|удал[её]н|неактив|заблокован',
    refused: 'отклон|отверг|відхилен',
  },
  {
    sender: 'nadawc|odes.lat',
    mailbox: 'u.ytkownik|adresat|odbiorc|kont[oa]\\b|adres\\b|skrzynk|u.ivatel|p..jemc|schr.nk|adresa',
    domain: 'dom.n[ay]',
    unknown: 'nieznan|nie ma takiego|nie istnieje|nie znaleziono|nezn.m|neexistuj|nenalezen|nebyla? nalezen',
    full: 'pe.na|przepe.nion|pln.\\b|p.epln.n',
    closed: 'zablokowan|wy..czon|zablokov.n|deaktivov',
    refused: 'odrzucon|odm.tnut',
  },
  {
    sender: 'подател|изпращач',
    mailbox: 'потребител|получател|адрес|кутия|акаунт',
    domain: 'домейн',
    unknown: 'не съществува|не (?:е|беше) намерен|непознат|несъществуващ|няма такъв',
    full: 'пълна|препълнен',
    closed: 'деактивиран|блокиран|спрян',
    refused: 'отхвърлен|отказан',
  },
  {
    sender: 'po.iljal|po.iljatelj|пошиљал',
    mailbox: 'korisnik|primatelj|primalac|adres|sandu.i.|\\bra.un|корисник|прималац|адрес|сандуче',
    domain: 'domen|домен',
    unknown: 'ne postoji|nepoznat|nije (?:prona.en|na.en)|не постоји|непознат|није пронађен',
    full: '\\bpun[ao]?\\b|prepun|препун',
    closed: 'onemogu.en|deaktiviran|suspendiran|blokiran|деактивиран|блокиран',
    refused: 'odbijen|одбијен',
  },
];

const OTHER_LANGUAGES: LanguageTerms[] = [
  {
    sender: 'felad.|g.nderen|g.nderic',
    mailbox: 'felhaszn.l.|c.mzett|kullan.c.|al.c.\\b|adres|vastaanottaja|k.ytt.j|postilaatikko',
    domain: 'tartom.ny|alan ad|verkkotunnus',
    unknown: 'ismeretlen|nem (?:l.tezik|tal.lhat)|bulunamad|bilinmeyen|\\byok\\b|tuntema|ei l.ydy|ei ole olemassa',
    full: 'megtelt|dolu\\b|t.ynn',
    closed: 'letiltva|felf.ggesztve|devre d.|suljettu',
    refused: 'visszautas|reddedil|hyl.tty',
  },
  {
    sender: '发件人|發件人|寄件者|寄件人|送信者|差出人|送信元|발신자|보낸 ?사람',
    mailbox:
      '用户|用戶|邮箱|郵箱|信箱|账号|帐号|帳號|收件人|收件者|地址|宛先|あて先|受信者|ユーザー?|アドレス|アカウント|メールボックス|受信箱|사용자|수신자|계정|주소|메일함|편지함',
    domain: '域名|ドメイン|ホスト|도메인',
    unknown:
      '不存在|无此|無此|查无|找不到|无效|無效|存在し(?:ません|ない)|見つか(?:りません|らな|らず)|不明|존재하지 않|없는|찾을 수 없',
    full: '已满|已滿|满了|空间不足|空間不足|超過|超えて|一杯|いっぱい|가득|초과',
    closed: '停用|禁用|冻结|凍結|停止|無効|정지|차단',
    refused: '拒绝|拒絕|拒否|거부',
  },
];

const SOUTHERN: LanguageTerms[] = [
  {
    sender: 'αποστολ.α',
    mailbox: 'χρ.στη|παραλ.πτη|διε.θυνση|λογαριασμ|γραμματοκιβ.τιο',
    domain: 'τομ.α',
    unknown: 'δεν υπ.ρχει|δεν βρ.θηκε|.γνωστ|.κυρ[ηο]',
    full: 'πλ.ρ[ηε]|γεμ.τ',
    closed: 'απενεργοποι|ανεσταλ|αποκλεισ',
    refused: 'απορρ.φθηκε|απορρ.πτ',
  },
  {
    sender: 'שולח',
    mailbox: 'משתמש|נמען|כתובת|תיב[הת]|חשבון',
    domain: 'דומיין',
    unknown: 'לא (?:נמצא|קיים|קיימת|ידוע|מוכר)|אינ[והם] קיי',
    full: 'מלא',
    closed: 'מושבת|חסומ?|נעול',
    refused: 'נדח|סורב',
  },
  {
    sender: 'المرسل(?! إليه)',
    mailbox: 'مستخدم|مستلم|المرسل إليه|عنوان|صندوق|حساب',
    domain: 'نطاق',
    unknown: 'غير (?:موجود|معروف|صالح)|لا يوجد|لم يتم العثور|مجهول',
    full: 'ممتلئ',
    closed: 'معطل|موقوف|محظور|مغلق',
    refused: 'مرفوض|رفض',
  },
  {
    sender: 'người gửi',
    mailbox: 'người dùng|người nhận|địa chỉ|hộp thư|tài khoản',
    domain: 'tên miền',
    unknown: 'không (?:tồn tại|tìm thấy|hợp lệ|xác định)',
    full: 'đầy',
    closed: 'vô hiệu|bị kh[oó][aá]|tạm ngưng',
    refused: 'từ chối|bị chặn',
  },
  {
    sender: 'pengirim|ผู้ส่ง',
    mailbox: 'pengguna|penerima|alamat|kotak (?:surat|pos|masuk)|akun\\b|ผู้ใช้|ผู้รับ|ที่อยู่|กล่องจดหมาย|บัญชี',
    domain: 'domain|โดเมน',
    unknown: 'tidak (?:ditemukan|ada|dikenal|valid|dijumpai|wujud)|ไม่พบ|ไม่มีอยู่|ไม่รู้จัก|ไม่ถูกต้อง',
    full: 'penuh|เต็ม',
    closed: 'dinonaktifkan|ditangguhkan|diblokir|ปิดใช้งาน|ระงับ',
    refused: 'ditolak|ปฏิเสธ',
  },
];

export const LANGUAGES: readonly LanguageTerms[] = [
  ...GERMANIC,
  ...ROMANCE,
  ...SLAVIC,
  ...SOUTHERN,
  ...OTHER_LANGUAGES,
];
