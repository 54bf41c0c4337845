/** Answers about an unknown recipient from many kinds of servers, by meaning. */
export const ANSWERS_OF_RECIPIENT: Record<string, string> = {
  mailbox_unknown: `
    550 5.1.1 The email account that you tried to reach does not exist. Please try double-checking the recipient's email address for typos
    550 5.1.1 <ada@example.com>: Recipient address rejected: User unknown in local recipient table
    550 5.1.1 <ada@example.com>: Recipient address rejected: undeliverable address: host mx.example.com said: 550 no such user
    550 <ada@example.com>: Recipient address rejected: User unknown in virtual mailbox table
    550 <ada@example.com>: Recipient address rejected: User unknown in relay recipient table
    550 5.1.1 No such user - psmtp
    550 #5.1.0 Address rejected.
    550 5.1.1 RESOLVER.ADR.RecipNotFound; not found
    550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient ada@example.com not found by SMTP address lookup
    550 5.4.1 Recipient address rejected: Access denied. AS(201806281) [DB5EUR01FT0.eop-EUR01.prod.protection.outlook.com]
    550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302).
    550 Requested action not taken: mailbox unavailable
    550 5.1.1 unknown or illegal alias: x@icloud.com
    550 5.1.1 <x@icloud.com>: user does not exist
    554 delivery error: dd This user doesn't have a yahoo.com account (x@yahoo.com) [0] - mta1234.mail.bf1.yahoo.com
    554 30 Sorry, your message to x@aol.com cannot be delivered. This mailbox is unknown
    550 No Such User Here
    550 Invalid recipient ada@example.com (#5.1.1)
    550 5.1.1 Invalid Recipient - https://community.mimecast.com/docs/DOC-1369#550
    550 Unknown recipient
    550 <ada@example.com> Unrouteable address
    550 User unknown
    550 5.1.1 User unknown; rejecting
    550 Mailbox not found
    550 Mailbox does not exist
    550 5.1.1 Mailbox does not exist - FP Recipient
    550 No such mailbox
    550 Sorry, no mailbox here by that name (#5.1.1)
    550 sorry, no mailbox here by that name. (#5.7.17)
    511 sorry, no mailbox here by that name (#5.1.1 - chkuser)
    550 sorry, this recipient is not in my validrcptto list (#5.1.1)
    550 sorry, that recipient doesn't exist (#5.7.1)
    550 cuda_nsu No such user
    550 5.1.1 cuda_nsu <ada@example.com>: Recipient address rejected
    550 permanent failure for one or more recipients (ada@example.com:550 5.1.1 User unknown)
    550 5.0.0 <ada@example.com>... User unknown
    550 Account not found
    550 account does not exist
    550 That account does not exist
    550 5.1.1 Account ada@example.com does not exist
    550 Address unknown
    550 Bad destination mailbox address
    550 Bad recipient address
    550 bad address
    550 5.1.3 Bad recipient address syntax
    501 5.1.3 Bad recipient address syntax
    553 5.1.3 <x@@example.com>... User address required
    550 Recipient not found
    550 recipient does not exist here
    550 Recipient does not exist
    550 Recipient no longer on server: ada@example.com
    550 5.1.6 recipient no longer on server: x@icloud.com
    550 ada@example.com User not found.
    550 No thank you rejected: Account Unavailable
    550 Unknown address
    550 Unknown address error 550-'Unknown user'
    550 Not our customer
    550 Not a valid recipient
    550 Invalid mailbox
    553 Invalid recipient address
    553 5.3.0 <ada@example.com>... Addressee unknown, relay=[192.0.2.1]
    553 5.3.0 <ada@example.com>... No such user here
    550 ** No mail box available for this user **
    550 BAD_RECIPIENT - see http://www.example.ac.uk/undelivered
    550 RCPT_UNKNOWN
    550 [R1] Recipient ada@example.com does not exist here.
    550 The user does not exist
    550 user doesn't exist
    550 user not exist
    550 <ada@example.com>... User not exist
    550 Mailbox unavailable or access denied
    550 The mailbox ada@example.com is not available
    550 mailbox unavailable
    550 5.1.1 mailbox unavailable
    550 No account by that name here
    550 Recipient Rejected: No account by that name here
    550 we don't have such a user
    550 We do not have an account with that name
    550 there is no such user
    550 There is no user by that name
    550 That user is not here
    550 no one by that name here
    554 5.1.1 Sorry, no mailbox here by that name
    550 recipient invalid
    550 Recipient address does not exist
    550 this address does not exist
    550 This address is no longer in use
    550 this address no longer accepts mail
    550 The address you are trying to reach is no longer valid
    550 This e-mail address is no longer valid
    550 address no longer exists
    550 User has left
    550 this employee is no longer with the company
    550 ada@example.com is no longer here
    550 Recipient has moved
    551 User not local; please try <forward-path>
    551 5.1.6 not our user
    551 Unknown user
    550 User unknown (in reply to RCPT TO command)
    550 RCPT TO:<ada@example.com> User unknown
    550 5.1.1 Requested action not taken: mailbox not found
    550 The recipient cannot be verified. Please check all recipients of this message to verify they are valid.
    550 RCP-P2 5.1.1 recipient unknown
    550 ada@example.com is not a known user on this system
    550 User is unknown {mx-eu-w1}
    550 ada@example.com unknown user account
    550 MAILBOX NOT FOUND
    550 no valid user
    550 Not a local user
    550 No local user with that name
    550 local user not found
    550 Local mailbox ada@example.com is unavailable: user not found
    550 is not our user
    550 user is not registered
    550 5.1.1 address is not registered
    550 Dest Address Rejected
    550 non existent user
    550 Non-existent address
    550 Nonexistent mailbox
    550 Recipient is not exist
    550 sorry, user does not exists
    550 The following address does not exist
    550 address doesn't exist
    550 address not present in directory
    550 user not listed in directory
    550 User x (ada@example.com) not listed in Domino Directory
    550 ada@example.com... No such user
    550 User name is unknown
    550 username unknown
    550 5.4.1 All recipient addresses rejected : Access denied
    554 No valid recipients
    554 5.5.1 Error: no valid recipients
    554 Invalid recipient
    554 5.1.1 <ada@example.com> - recipient address not found
    554 mailbox not found
    550-5.1.1 ada@example.com Email address could not be found, or was misspelled (G8)
    550 5.1.1 Email address could not be found, or was misspelled (G8)
    550 Email address could not be found
    550 Callback verify failed: user unknown
    501 Bad address syntax: recipient
    550 5.1.0 Address rejected
    553 sorry, your mail was for an unknown user
    550 5.1.1 Recipient unknown <ada@example.com> (mx.mail.ru)
    550 Message was not accepted -- invalid mailbox. Local mailbox x@mail.ru is unavailable: user not found
    550 5.7.1 No such user!
    550 User not found, 163 smtp
    550 Invalid User: x@sina.com
    550 The recipient may contain a non-existent account, please check the recipient address
    550 5.1.1 The recipient account does not exist
    553 5.1.2 We were unable to find the recipient domain
    550 5.1.1 RESOLVER.ADR.ExRecipNotFound; not found
    550 5.1.0 RESOLVER.ADR.InvalidInSmtp
    550 5.1.1 <x@corp>: Email address could not be found
    550 Mailbox not found or access denied
    550 RESOLVER.ADR.RecipNotFound; not found
    550 5.1.351 Remote server returned unknown recipient or mailbox unavailable
    550 5.1.1 smtp.recipient.unknown
    550 Unable to deliver to address; domain not found
    550 5.1.2 Bad destination system address
    550 the recipient's domain does not exist
    550 Mail domain mentioned in email address is unknown
    550 This address no longer accepts mail.
    550 user dosn't exist
    550 Address does not exist
    550 This account does not exist
    550 Email account does not exist
    550 Account deleted
    550 mailbox has been deleted
    550 Sorry, can't find user's mailbox. (#5.1.1)
    550 unknown local-part "ada" in domain "example.org"
    550 Unknown local part ada in <ada@example.org>
    550 no such address here
    550 There is no such address here
    550 user not on this server
    550 not a user here
    550 user is not on this system
    550 The user is not found here
    550 No mailbox for recipient
    550 We do not know this user
    550 I don't know that user
    550 user doesnt exist
    550 this user does not have an account here
    550 invalid email address
    550 The email address does not exist
    550 The e-mail address you entered couldn't be found
    550 Your message wasn't delivered because the address couldn't be found
    550 delivery not possible: no such account
    550 addressee unknown
    550 Recipient name is not recognized
    550 The recipient name is not recognized
    550 The e-mail address could not be found
    550 Unknown Recipient
    550 recipient not on system
    550 recipient has no mailbox here
    550 No such recipient
    550 undeliverable address: unknown user
    550 LDAP lookup: user not found
    550 User unknown in virtual alias table
    550 mail receiver not exist
    550 receiver does not exist
    550 The receiver's address is invalid
    550 unknown receiver
    550 ada@example.org...User unknown
    550 <ada@example.org> not found
    550 <ada@example.org> does not exist
    550 No one with that email address here
    550 There is no one at this address
    550 No such mail drop defined
    550 recipient rejected
    550 <ada@example.org> recipient rejected
    550 ada@example.org is not a known local user
    550 ada@example.org is not an active address at this host
    550 ada was not found in LDAP server
    550 Recipient not in directory
    550 Unable to find alias user
    550 user path no exist
    550 Command RCPT User <ada@example.org> not OK
    550 User not a member of domain: <ada@example.org>
    550-I'm sorry but ada@example.org does not have an account here.
    550 <ada@example.org> unable to accept: user has no mailbox
    550 Recipient address is not valid
    550 recipient is not local
    550 Unrecognized recipient
    550 unregistered address
    550 unroutable address
    550 ada@example.org has been replaced by ada@example.net
    553 sorry, badrcptto (#5.7.1)
    553 sorry, your envelope recipient is in my badrcptto list (#5.7.1)
    553 sorry, your envelope recipient has been denied (#5.7.1)
  `,
};
