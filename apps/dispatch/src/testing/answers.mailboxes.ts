/** Answers about domains and about mailboxes that are full or closed, by meaning. */
export const ANSWERS_OF_MAILBOXES: Record<string, string> = {
  domain_unknown: `
    550 5.1.2 ada@example.com host unknown
    550 5.4.310 DNS domain example.com does not exist [Message=InfoDomainNonexistent]
    550 5.4.4 SMTPSEND.DNS.NonExistentDomain; nonexistent domain
    550 Host unknown
    550 Host not found
    550 5.1.2 host unknown (Name server: example.com: host not found)
    550 Domain does not exist
    550 No such domain at this location
    550 Unknown domain
    550 Name or service not known
    550 [example.com]: Name or service not known
    550 5.4.4 Unable to resolve domain
    556 5.1.10 Recipient address has null MX
    521 5.3.2 Host does not accept mail
    550 5.4.4 host not found
    550 Recipient domain must exist
    550 Invalid domain name
    550 Domain not in service
    550 Unroutable mail domain
    550 Illegal host/domain name found
    550 Domain name does not exist
    550 Domain name not found
    550 No mail server found for domain
    550 DNS Hard Error looking up example.org (MX): NXDomain
    550 Domain example.org not found
    550 Can't find a valid MX for domain
    550 domain has no MX record
    550 No MX record found for domain=example.org
    550 Sorry, I couldn't find any host named example.org. (#5.1.2)
    550 Sorry, I couldn't find a mail exchanger or IP address. (#5.4.4)
    550 Host or domain name not found. Name service error for name=example.org type=MX: Host not found
    550 domain example.org does not accept mail (nullMX)
    556 domain does not accept mail
    550 The mail server could not deliver mail to ada@example.org.  The account or domain may not exist, they may be blacklisted, or missing the proper dns entries.
    550 No route for domain: domain does not exist
    521 No SMTP service here
    550 an MX or SRV record indicated no SMTP service
    550 no valid MX hosts found
    550 Sorry, couldn't find any host by that name. (#4.1.2)
  `,
  mailbox_disabled: `
    550 Message was not accepted -- invalid mailbox. Local mailbox ada@example.com is unavailable: account is disabled
    550 5.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages from being delivered.
    550 5.2.1 Mailbox disabled for this recipient
    550 5.2.1 mailbox disabled, not accepting messages
    550 5.2.1 The email account that you tried to reach is disabled
    550 5.1.1 Mailbox disabled
    550 [SUSPEND] Mailbox currently suspended - Please contact correspondent directly
    550 5.1.1 <ada@example.com> Account suspended
    551 <ada@example.com> is a deactivated mailbox
    554 This account has been disabled or discontinued [#102]
    550 User suspended
    550 Mailbox is inactive
    550 5.1.1 User account is inactive
    550 account inactive
    550 Account is disabled
    550 This account is not active
    525 5.7.13 User account disabled
    550 User account expired
    554 mailbox temporarily disabled
    550 Mailbox blocked
    550 5.2.1 Mailbox unavailable for this recipient
    550 Mailbox is locked
    550 account locked
    550 Boite du destinataire archivee. Archived recipient
    550 recipient's mailbox is suspended
    550 account closed
    521 5.2.1 :  (HVU:B1) http://postmaster.info.aol.com/errors
    550 Account of sender disabled
    554 mailbox temporarily unavailable
    550 Mailbox temporarily unavailable
    550 Mailbox busy
    550 Recipient temporarily unavailable
    550 5.2.1 The user you are trying to contact is receiving mail too quickly
    550 Cette boite a été désactivée
    550 user blocked your mail
  `,
  mailbox_full: `
    550 5.0.0 recipient reached disk quota
    552 5.2.2 The email account that you tried to reach is over quota
    552 5.2.2 mailbox full
    552 5.2.3 ada has overdrawn his diskspace quota
    552 5.2.3 Disk quota exceeded
    550 5.2.2 user over quota
    552 Mailbox full
    550 Mailbox quota exceeded
    552 Quota exceeded
    552 mailbox size limit exceeded
    552 Message would exceed quota for <ada@example.com>
    552 Requested mail action aborted: exceeded storage allocation
    550 Recipient's mailbox is full
    554 delivery error: dd Requested mail action aborted: exceeded storage allocation - mta
    550 Quota violation for ada@example.com
    552 Account is full
    554 5.2.2 STOREDRV.Deliver.Exception:QuotaExceededException
    554 5.2.0 STOREDRV.Deliver.Exception:QuotaExceededException.MapiExceptionShutoffQuotaExceeded; Failed to process message due to a permanent exception
    550 ada@example.com Mailbox exceeds allowed size
    550 mailbox x is full
    550 User mailbox exceeds allowed size: ada@example.com
    552 sorry, recipient over quota (#5.2.2)
    550 Der Empfaenger hat sein Mailbox-Limit ueberschritten
    550 Le compte du destinataire est plein
    550 Message rejected: user's mailbox has exceeded its quota
    552 <ada@example.com> mailbox has insufficient space
    550 mail box space not enough
    522 5.2.2 over quota
    550 User disk quota exceeded. (#4.3.0)
    550 mail.local: /var/mail/ada: Disc quota exceeded
    550 The users mailfolder is over the allowed quota (size). (#5.2.2)
    550 This account is over quota and unable to receive mail.
    550 Quota exceed the hard limit for user
    550 mailbox is full (MTA-imposed quota exceeded while writing to file)
    550 recipient storage full
    550 Mailbox over quota
    550 maildir over quota
    550 maildir delivery failed: mailbox over quota
    550 mailbox has reached its limit
    550 The mailbox of the user has reached the maximum number of messages
    550 not enough storage space in mailbox
    552 Account <ada@example.com> does not have enough space
    552 The user doesn't have enough storage
    550 Not delivered because of a full mailbox
    550 Not enough disk space
    550 no space left on device
    550 user storage full
    550 Receiver mailbox full
    550 User has reached mail limit
  `,
};
