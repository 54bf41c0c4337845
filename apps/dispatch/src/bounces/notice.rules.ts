/** How servers word what they report. Each list is tried line by line, on lines of bounded length. */

/** From such a line on, the text is the returned mail. */
export const ORIGINAL_FOLLOWS: readonly RegExp[] = [
  /^[\s>*|#=-]{0,80}(?:this is a copy of|below this line is|below is (?:a copy|the)|the (?:first|header|body|text|complete|full|original)\b.{0,40}(?:original|message|mail).{0,40}(?:follow|below)|start of (?:returned|original|forwarded)|header of the (?:original|message)|begin (?:message|returned)|copy of (?:the )?(?:original|your)|your (?:original )?message follows|enclosed is a copy)\b/i,
  /^[\s>*|#=-]{0,80}(?:(?:the )?(?:original|unsent|returned|undelivered|rejected|bounced) ?(?:e-?mail|message|mail)(?: (?:header|text|body|info|follow)\w*){0,3}|message (?:text|header|body|content)s?(?: follows?)?|urspr\S{1,4}ngliche (?:nachricht|mail)|message d'origine|mensaje original|mensagem original|messaggio originale|исходное (?:письмо|сообщение))[^\p{L}]{0,80}$/iu,
  /^received:\s{0,4}(?:from|by|\(qmail)\b/i,
  /^return-path:\s{0,4}<?[^<>\s]{0,320}>?\s*$/i,
  /^from \S{1,320}@\S{1,255}\s{1,4}(?:mon|tue|wed|thu|fri|sat|sun)\b/i,
  /^(?:arc-seal|dkim-signature|x-google-\S{1,40}|x-received|mime-version):\s/i,
];

/** Senders of reports. */
export const DAEMON_ADDRESS =
  /^(?:mailer-?daemon|post-?_?master|mail[._-]?(?:delivery|daemon|system|admin|er)\S{0,40}|mdaemon|mmdf|daemon|bounces?|bounced|ndr|mail-?er)(?:[+.\-_=][^@]{0,64})?$/i;
export const DAEMON_NAME =
  /mail(?:er)?[ -]?(?:delivery|daemon|system|subsystem|administrator)|delivery (?:sub)?system|post-?master|system administrator|mmsc|non-?delivery|mail gateway/i;

/** Gateways that report under their own name. */
export const GATEWAY_ADDRESS =
  /^(?:[^@]{1,40}[._-])?(?:smtp|mta|mail[._-]?(?:server|service|gateway|relay)|gateways?|anti-?virus)(?:[._-][^@]{1,40})?$/i;

/** Senders that are machines, most of whose mails are not reports. */
export const MACHINE_ADDRESS =
  /^(?:root|sysadmin|system|notification\S{0,20}|no-?_?reply|donotreply|do-not-reply|admin\S{0,12}|server|robot|auto\S{0,12})(?:[+.\-_=][^@]{0,64})?$/i;
/** Words that reports contain and other mails from machines do not. */
export const REPORT_WORDS =
  /\b[45]\d\d[ -]|\b[45]\.\d{1,2}\.\d{1,3}\b|mailbox|quota|recipient|smtp|e-?mail address|\buser\b.{0,20}(?:unknown|does not exist)|(?:unknown|no such|valid) user|メールボックス|宛先|邮箱|收件人/i;

/** Subjects and openings that announce a refusal, in the languages that servers use. */
export const REFUSAL_PATTERNS: readonly RegExp[] = [
  /undeliver(?:ed|able|y)|non[ -]?deliver(?:y|able|ed)|not (?:be )?deliver(?:ed|able)|(?:un)?able to (?:be )?deliver|undelivered|deliver\w{0,3}.{0,40}(?:been|was|were) (?:stopped|blocked|cancel|aborted)|permanent fatal errors/i,
  /deliver(?:y|ed)?.{0,40}(?:fail|status|problem|error|incomplete|delay|unsuccessful|suspend|refus|not possible|impossible|report)/i,
  /(?:fail(?:ure|ed)?|problem|error|trouble|unsuccessful).{0,30}(?:deliver|sending|to send|notice|mail)|failed (?:recipient|address)|failure notice|mail failed|bounce (?:notification|message)/i,
  /return(?:ed|ing)? (?:mail|message|e-?mail|to (?:the )?sender)|(?:mail|message|e-?mail).{0,30}return(?:ed|ing)/i,
  /(?:mail|message).{0,40}(?:could ?n.t|could not|cannot|can.t|can not|was ?n.t|was not|were not|has not been|unable to).{0,20}(?:be )?(?:deliver|sent|reach|relay|process|accept)/i,
  /automatically rejected|(?:did not|could not|didn.t|couldn.t|unable to) reach|not reach(?:ed)? the|(?:mail|message|delivery|email).{0,30}(?:was |been |is )?(?:rejected|refused|blocked|bounced)|rejected (?:mail|message|email)/i,
  /\bnot (?:a )?members?\b.{0,30}(?:list|\bml\b|article)|not member article|(?:mail|delivery) system error|invalid (?:user )?address|unknown (?:user|recipient|address)|user unknown|no such user|address (?:not found|unknown)|not a valid (?:user|recipient|mailbox|address)|unsent message|message expired/i,
  /warning: (?:could not|message|mail|e-?mail|unable)|delivery.{0,30}warning|delayed mail|mail delay|message delayed|still (?:being retried|trying)/i,
  /unzustell|nicht zu(?:ge)?stell|zustell\S{0,10}.{0,30}(?:fehl|nicht|verz)|nicht (?:\S{1,20} )?(?:zugestellt|ausgeliefert|gesendet)|konnte nicht/i,
  /non (?:remis|distribu|deliver|d.livr)|n'a pas (?:pu |été ).{0,30}(?:remis|distribu|envoy|livr)|.chec (?:de|d').{0,30}(?:remise|livraison|envoi|distribution)|impossible de remettre/i,
  /no (?:se )?(?:ha )?(?:podido|pudo|puede|se pudo) .{0,20}(?:entreg|env)|no (?:se )?entreg|no (?:se )?ha entregado|entrega.{0,20}(?:fall|err)|devuelto|n.o (?:foi |p.de ).{0,20}(?:entreg|envi)|n.o entreg|falha .{0,20}entrega/i,
  /mancat[ao] (?:consegna|recapito)|non (?:.{1,20} )?(?:recapitat|recapitabil|consegnat)|(?:recapito|consegna) non riuscit|impossibile recapitare|onbestelbaar|niet (?:.{1,20} )?(?:bezorg|afgeleverd)/i,
  /olevererbar|(?:kunde inte|g.r inte att|kan inte) leverera|(?:kunne|kan) ikke leveres|leverans?e?n?.{0,60}(?:misslyckades|mislyk)|levering.{0,60}mislyk|toimitus.{0,20}ep.onnistui|ei (?:voi|voida|voitu) toimittaa/i,
  /niedor.cz|niedostarczal|nie dostarczono|dostarcz.{0,60}nie powiod|nedoru.|doru.en.{0,60}nezda|nem k.zbes.thet|kézbesíthetetlen|teslim edileme|iletileme|nelivrat|αδύνατη η παράδοση|δεν (?:ήταν δυνατή|παραδόθηκε)/i,
  /не ?(?:может быть |был[оа]? |удалось )?(?:\S{1,20} )?(?:доставлен|доставить|отправлен)|недоставлен|ошибка доставки|возврат(?: почты)?|не доставлено|не вдалося доставити|недоставк/i,
  /配信(?:不能|エラー|できません|に失敗)|配送(?:不能|エラー|できません|失敗)|送信(?:できません|エラー|に失敗|不能)|エラー(?:通知|メール)|届けられません|送達|返送|リターンメール/,
  /退信|未(?:能)?(?:送达|送達|傳遞|传递)|未能向.{1,20}(?:传递|傳遞)|无法(?:投递|送达|发送|传递|传送)|投递失败|無法(?:傳遞|投遞|送達|傳送)|未送達|发送失败|系统退信|반송|전송 ?실패|배달(?:되지|하지| 실패|할 수)/,
];

/** Sent automatically on behalf of a person, and not about a refusal. */
export const AUTO_REPLY =
  /out of (?:the )?(?:office|town)|auto(?:matic|mated)?[ -]?(?:reply|response|respond|antwort)|vacation|on (?:annual |maternity |sick |parental )?leave\b|away from (?:the|my) (?:office|desk|email)|holiday|abwesen|automatische antwort|absen(?:ce|t)|r.ponse automatique|hors du bureau|fuera de la oficina|fuori (?:sede|ufficio)|automatick. odpov|automatyczna odpowied|automatikus v.lasz|automatisk(?:t)? svar|otomatik (?:yan.t|cevap)|αυτόματη απάντηση|respuesta autom.tica|resposta autom.tica|risposta automatica|automatisch antwoord|autosvar|automaattinen vastaus|автоответ|автоматический ответ|不在|自動(?:返信|応答)|自动(?:回复|答复)|自動回覆|자동 ?(?:회신|응답)|thank you for (?:your (?:e-?mail|message|enquiry|inquiry)|contacting)|we (?:have )?received your|ticket|delivered:|^read:|read receipt|lesebest.tigung|confirm.{0,20}(?:your|address)|verify your/i;

/** How the subject of a person's automatic reply begins, whatever the answered mail was about. */
export const AUTO_REPLY_SUBJECT =
  /^\s{0,4}(?:(?:re|aw|sv|antw):\s{0,4})?(?:auto(?:matic|matische?|mated)?[ -]?(?:reply|response|antwort)|out of (?:the )?office|abwesenheit|r.ponse automatique|respuesta autom.tica|resposta autom.tica|risposta automatica|automatisch antwoord|autosvar|автоответ|自動返信|自动回复|자동 ?회신)/i;

/** Subjects of notices from mail systems that are not about a mail of ours, whatever they quote. */
export const UNRELATED_REPORT =
  /quarantine.{0,20}(?:summary|digest|report|notif)|spam (?:digest|report|summary)|smtp server: errors from|^\s{0,4}(?:\[preview\] )?report domain:/i;

/** The mail waits until its sender has shown to be a person. */
export const CHALLENGE =
  /\b(?:click|visit|follow|open|go to|reply|respond)\b[^.]{0,80}\b(?:verif(?:y|ication)|confirm|authenticate|release)(?! (?:that )?(?:the|their) (?:e-?mail |recipient\S{0,4} )?(?:address|spelling|recipient|name))|\b(?:verify|confirm|prove) (?:that )?(?:you are|you're|you wrote|you sent|your(?:self| e-?mail| address| identity))|\b(?:verification|confirmation) (?:process|request|required)|challenge.response/i;

/** Words of which a report in English has several, and one in another language that quotes a server few. */
export const ENGLISH_WORDS = /\b(?:the|your|this|that|been|from|with)\b/gi;

/** A later server still tries. */
export const STILL_TRYING =
  /will (?:be )?(?:re-?tr(?:y|ied)|(?:keep|continue) (?:on )?(?:to )?(?:try|attempt|retry|trying|attempting)|keep trying|try again|be attempted)|(?:continue|keep|continuing) (?:to )?(?:try|trying|attempt|attempting)|warning(?: message)? only|(?:do not|don.t|no) need to (?:re-?send|take)|no action is required on your part|still (?:being retried|trying|in (?:the )?queue)|(?:has|have|is|been|was|been temporarily) delayed|not yet (?:been )?delivered|delivery (?:has been )?(?:delayed|incomplete)|delayed (?:mail|delivery)|message delayed|(?:further|more) attempts? will be made|nachricht.{0,30}verz.ger|weitere zustellversuche|sera retent|se reintentar|attempts? (?:to deliver .{0,40})?will continue/i;

/** Nobody tries any more; wins over the words above. A server that says it will give up some day still tries. */
export const GIVEN_UP =
  /(?<!\b(?:will|would|before|until we)\s{1,4})gi(?:v|ving|ven|ve)\w* (?:it )?up|permanent (?:error|failure|fatal)|(?<!non-)fatal error|failed permanently|will not (?:be )?(?:re-?tr|attempt|continue|try)|not (?:going to )?try again|no further (?:delivery )?attempts|stopped trying|could not be delivered (?:for(?! (?:more than )?[\d.]{1,5} (?:minute|hour|day)\S{0,4}\s{1,4}it will be retried)|within)|undeliverable:|returning (?:message|mail) to sender|not be (?:retried|attempted)/i;

/** Words right before an address that was refused. */
export const BEFORE_RECIPIENT =
  /(?:rcpt to|mailing list|recipients?|receivers?|addressed to|(?:delivered|sent|relayed|deliver|send|delivery|undeliverable|message|mail|failed|fehler) (?:to|an|for)|address(?:es)?|adresse|user(?: ?id|name)?|mailbox|account|destinat\w{1,6}|for|to|an|kept|delivery failed|empf.nger|adressat|dirección|(?:generated|expanded|forwarded|redirected) from|wiadomo\S{1,3}|пользователь|получатель|宛先|收件人)(?: \([^()]{0,60}\))?[\s:;=»«"'<(.-]{0,12}$/i;

/** A line whose only purpose is to state the address. */
export const STATED_RECIPIENT =
  /^[\s>*•·|-]{0,40}(?:undeliverable to|(?:failed|intended|invalid|unknown|rejected) (?:recipient|address)e?s?|(?:unknown|invalid) user|failed to deliver to)[\s:=<"'([-]{1,12}(?:smtp:)?<?$/i;

/** Words right before an address that the refused one was derived from. */
export const BEFORE_ORIGIN =
  /(?:(?:generated|expanded|forwarded|redirected) from|original(?:ly)? (?:addressed to|address|recipient)|orcpt[ =](?:rfc822;)?)[\s:;=<"'(]{0,8}$/i;

/** A line that announces a list of refused addresses. */
export const ANNOUNCES_RECIPIENTS =
  /(?:following|these|intended|listed).{0,20}(?:recipient|address|user|mailbox)\S{0,8}[^@]{0,40}:\s*$/i;

/** Words right before an address that is not the refused one. */
export const BEFORE_OTHER =
  /\b(?:(?<!generated |expanded |forwarded |redirected )from|sender|by|contact(?:ing)?|assistance[^@]{0,40}|help[^@]{0,20}|reply-to|message-?id|envelope-from|(?<!sent )(?:write|e-?mail|mail|report|complain|contact)\s{1,3}(?:to|us at|me at)|postmaster|id|in-reply-to|references|generated by|authenticated as|hello|dear|hallo|hola|bonjour|original sender|von)[\s:;=»«"'<([,.-]{0,12}$/i;

/** How Postfix and qmail name whom they refuse; no address for help stands like this. */
export const REFUSED_RECIPIENT = /^\s{0,8}<[^<>\s]{3,320}>:/;

/** Mailboxes that reports name for help, and those that take mailing list commands. */
export const SUPPORT_ADDRESS =
  /^(?:postmaster|abuse|support|help(?:desk)?|hostmaster|admin(?:istrator)?|webmaster|mailer-daemon|noc|security)@|^[^@]{1,64}[-_](?:ctl|help|request|admin|owner|(?:un)?subscribe)@/i;
