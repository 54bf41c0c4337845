/** Answers in languages other than English, by meaning. */
export const ANSWERS_IN_OTHER_LANGUAGES: Record<string, string> = {
  mailbox_unknown: `
    550 5.1.1 Empfänger unbekannt
    550 Empfaenger existiert nicht
    550 Empfängeradresse ungültig
    550 Ungültige Empfängeradresse
    550 Unbekannter Empfänger
    550 Kein solcher Benutzer
    550 Benutzer nicht vorhanden
    550 Postfach nicht gefunden
    550 Die E-Mail-Adresse ist nicht bekannt
    550 Diese Adresse existiert nicht
    550 Utilisateur inconnu
    550 Adresse inexistante
    550 Compte inexistant
    550 Destinataire introuvable
    550 Destinataire inconnu
    550 5.1.1 Adresse d au moins un destinataire invalide. Invalid recipient. OFR_416
    550 L'adresse e-mail n'existe pas
    550 L'adresse de messagerie référencée ci-dessus n'existe pas
    550 Boîte aux lettres inexistante
    550 Cette adresse n'existe pas
    550 Cette adresse n’existe pas
    550 Aucun utilisateur de ce nom
    550 El usuario no existe
    550 Casilla inexistente
    550 Usuario desconocido
    550 Destinatario desconocido
    550 Buzón inexistente
    550 No existe el usuario
    550 Cuenta inexistente
    550 No se ha encontrado el destinatario
    550 Dirección de correo no válida
    550 Utente sconosciuto
    550 Destinatario sconosciuto
    550 Indirizzo non valido
    550 Destinatario non trovato
    550 L'utente non esiste
    550 Usuário desconhecido
    550 Destinatário não encontrado
    550 Conta não existe
    550 Caixa postal inexistente
    550 Usuario inexistente
    550 Gebruiker onbekend
    550 Adres bestaat niet
    550 Onbekende ontvanger
    550 Okänd mottagare
    550 Adressen finns inte
    550 Ukendt modtager
    550 Brukeren finnes ikke
    550 Tuntematon vastaanottaja
    550 Vastaanottajaa ei löydy
    550 Nie ma takiego użytkownika
    550 Konto nie istnieje
    550 Nieznany odbiorca
    550 Użytkownik nieznany
    550 Neznámý uživatel
    550 Uživatel neexistuje
    550 Ismeretlen felhasználó
    550 A címzett nem létezik
    550 Kullanıcı bulunamadı
    550 Bilinmeyen kullanıcı
    550 Böyle bir kullanıcı yok
    550 Пользователь не найден
    550 Нет такого пользователя
    550 Несуществующий адрес
    550 Почтовый ящик не существует
    550 Неизвестный получатель
    550 Ящик не знайдено
    550 用户不存在
    550 收件人不存在
    550 无此用户
    550 邮箱地址不存在
    550 該用戶不存在
    550 找不到收件人
    550 收件人地址无效
    550 ユーザーが存在しません
    550 宛先不明
    550 宛先のメールアドレスが見つかりません
    550 該当するユーザーは存在しません
    550 存在しないアドレスです
    550 존재하지 않는 사용자
    550 사용자를 찾을 수 없습니다
    550 없는 사용자입니다
    550 <ada@example.org>: destin. Sconosciuto
    550 Destinatario errato
    550 No existe dicha persona
    550 Nie ma takiego konta
    550 ada@example.org nie istnieje
  `,
  domain_unknown: `
    550 Unbekannte Domain
    550 Domain existiert nicht
    550 Domaine inconnu
    550 Dominio desconocido
    550 Dominio inesistente
    550 Домен не существует
    550 域名不存在
    550 ドメインが見つかりません
    550 Host unbekannt
  `,
  mailbox_disabled: `
    550 Konto gesperrt
    550 Compte désactivé
    550 Cuenta suspendida
    550 La casilla ha expirado
    550 Cuenta caducada
    550 Учетная запись заблокирована
    550 账号被禁用
    550 用户已停用
    550 メールアドレスは停止されています
  `,
  mailbox_full: `
    552 Postfach voll
    552 Das Postfach des Empfängers ist voll
    552 Speicherplatz überschritten
    552 Boîte pleine
    552 La boîte aux lettres du destinataire est pleine
    552 Quota dépassé
    552 Buzón lleno
    552 Casilla de correo llena
    552 Cuota excedida
    552 Casella piena
    552 Casella di posta piena
    552 Caixa postal cheia
    552 Caixa de entrada cheia
    552 Skrzynka pełna
    552 Skrzynka odbiorcy jest przepełniona
    552 Почтовый ящик переполнен
    552 Превышена квота
    552 收件人邮箱已满
    552 邮箱空间不足
    552 メールボックスの容量を超えています
    552 受信箱がいっぱいです
    552 메일함이 가득 찼습니다
    552 Postkassen er fuld
    552 Brevlådan är full
    552 Mailbox vol
  `,
  policy_refused: `
    550 Absender abgelehnt
    550 Expéditeur refusé
    550 Remitente rechazado
    550 Domaine de l'expéditeur inexistant
    550 Indirizzo del mittente non valido
    550 Ungültige Absenderadresse
    550 发件人被拒绝
    550 发件人地址不存在
    550 Отправитель не существует
    550 Отправитель неизвестен
    550 Адрес отправителя не найден
    550 送信者アドレスが存在しません
    550 Message rejeté : spam
    550 Nachricht abgelehnt wegen Spamverdacht
    550 Сообщение отклонено как спам
    550 垃圾邮件
  `,
  refused: `
    550 Mensaje rechazado
    550 邮件被拒绝
  `,
};
