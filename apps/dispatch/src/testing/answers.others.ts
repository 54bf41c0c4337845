/** Answers about sender, content and route from many kinds of servers, by meaning. */
export const ANSWERS_OF_OTHERS: Record<string, string> = {
  message_too_large: `
    552 5.3.4 Message size exceeds fixed maximum message size
    552 message size exceeds size limit
    552 5.2.3 Message exceeds maximum fixed size
    554 Message too large
    523 the message size exceeds limit
    534 SIZE=31457280 is more than is taken here
    534 5.3.4 No mails like that
    534 Message too big for system
  `,
  throttled: `
    550 5.4.5 Daily sending quota exceeded
    550-5.4.5 Daily user sending limit exceeded. For more information on Gmail 550 5.4.5 sending limits go to https://support.example.com
    550 5.7.1 Daily SMTP relay limit exceeded for customer
    550 5.4.5 Daily SMTP relay sending limit exceeded for customer
    550 5.1.90 Your message can't be sent because you've reached your daily limit for message recipients
    550 account has exceeded sending limit
    550 5.7.0 Requested action not taken: too many emails per second
    550 5.7.0 Requested action not taken: your plan limit has been reached
    550 Domain shop.example.com has exceeded the max emails per hour (500/500 (100%)) allowed. Message discarded.
    550 5.7.1 Message rejected: sending rate limit exceeded for user
    550 Your account has reached its monthly limit
    550 You've reached your plan's sending limit
    554 5.7.1 This message has been rate limited
    552 5.5.3 Too many recipients
    552 Too many recipients for this session
  `,
  policy_refused: `
    550 sender domain mail.example.com does not exist
    550 5.7.0 Mail rejected: sender domain example.com not found in DNS
    554 5.7.1 Sender domain shop.example.com has no MX
    550 5.7.1 EHLO host not found
    550 5.7.1 Reverse lookup failed, host unknown
    550 5.7.1 Your mail server host name not found in DNS
    550 Connecting host not found in DNS
    550 Your hostname does not exist
    550 From: header domain does not exist
    550 5.7.1 Header 'From' address unknown
    550 Reply-To address unknown
    550 Invalid Message-ID address
    554 mx.example.org 192.0.2.1 found on one or more DNSBLs
    554 5.7.1 Your IP address has been blocked
    550 Recipient has blocked you
    550 Recipient has blocked this sender
    550 permanent failure for one or more recipients (ada@example.org:blocked)
    550 5.7.1 Your account is suspended
    550 The recipient does not accept mails from sender
    550 user does not accept mail from your domain
    521 mx.example.org does not accept mail from dynamic hosts
    550 5.7.1 Domain does not accept mail from this network
    550 5.7.1 invalid recipient count
    550 5.7.1 Rejected: user not found in whitelist
    550 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org
    550 5.7.1 Our system has detected that this message is likely unsolicited mail
    550 5.7.26 This mail is unauthenticated
    550 5.7.1 Unable to relay
    550 5.7.1 Unable to relay for ada@example.com
    550 5.7.54 SMTP; Unable to relay recipient in non-accepted domain
    554 5.7.1 <ada@example.com>: Relay access denied
    550 relay not permitted
    550 relaying denied
    550 5.7.1 Relaying denied. Proper authentication required.
    553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)
    550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup; authentication required; Delivery restriction check failed because the sender was not authenticated when sending to this group
    550 5.7.1 RESOLVER.RST.AuthRequired; authentication required
    550 5.7.1 RESOLVER.RST.NotAuthorized; not authorized
    550 5.7.606-649 Access denied, banned sending IP [192.0.2.1]
    550 5.7.23 The message was rejected because of Sender Policy Framework violation
    550 5.7.509 Access denied, sending domain example.com does not pass DMARC verification
    550 5.7.1 Message rejected as spam by Content Filtering
    550 5.7.1 TRANSPORT.RULES.RejectMessage; the message was rejected by organization policy
    554 5.7.9 Message not accepted for policy reasons. See https://postmaster.yahooinc.com/error-codes
    554 Message not allowed - [PH01] Email not accepted for policy reasons
    550 5.7.1 Mail from IP 192.0.2.1 was rejected due to listing in Spamhaus PBL
    550 5.1.8 Access denied, bad outbound sender
    554 Sender refused
    550 Sender verify failed
    550 Verification failed for <shop@example.org>
    550 Verification failed for <shop@example.org> Unrouteable mail domain "example.org" Sender verify failed
    550 Verification failed for <shop@example.org> The mail server could not deliver mail to shop@example.org.  The account or domain may not exist, they may be blacklisted, or missing the proper dns entries. Sender verify failed
    550 Callback setup failed while verifying <shop@example.org>
    550 Postmaster verification failed while checking <shop@example.org>
    550 5.1.0 Sender denied
    550 5.1.0 <s@example.org> sender rejected
    501 5.1.7 Bad sender address syntax
    553 5.1.8 <s@example.org>... Domain of sender address s@example.org does not exist
    550 5.1.8 Sender domain does not exist
    550 Domain of sender address does not resolve
    553 sorry, your envelope sender domain must exist (#5.7.1)
    550 5.7.1 Reverse DNS lookup failed
    554 5.7.1 Client host rejected: cannot find your reverse hostname
    550 5.7.25 The IP address sending this message does not have a PTR record
    550 Access denied - Invalid HELO name (See RFC2821 4.1.1.1)
    550 Administrative prohibition
    550 Administrative prohibition - envelope blocked - https://community.mimecast.com
    550 Rejected by header based Anti-Spoofing policy
    554 Email rejected due to security policies - https://community.mimecast.com
    550 Message was blocked by server
    550 Blocked
    550 blocked by content filter
    550 High probability of spam
    550 This message contains a virus
    550 Message contains restricted attachment
    552 5.7.0 This message was blocked because its content presents a potential security issue
    552 5.7.0 Our system detected an illegal attachment on your message
    554 IMTA: message rejected: no such sender
    554 rejected due to spam content
    550 5.7.1 rejected by Barracuda reputation
    554 Your access to this mail system has been rejected due to the sending MTA's poor reputation
    554 Transaction failed: Reject due to policy restrictions. gmx
    550 Mail is rejected by sender policy
    550 mail rejected by recipient preferences
    550 You are not allowed to send mail to this address
    550 5.7.1 You are not authorized to send to this recipient
    550 5.7.1 Delivery not authorized, message refused
    550 Access denied
    550 Recipient address rejected: Greylisted
    550 SPF check failed
    554 5.7.5 Permanent error evaluating DMARC policy
    550 Ip frequency limited
    550 Domain frequency limited
    550 Mailbox unavailable or access denied due to reputation
    521 5.7.1 Blocked
    554 5.6.0 Invalid message content
    554 5.6.0 Corrupt message content
    550 5.5.3 RESOLVER.ADR.RecipLimit; too many recipients
    554 Too many connections
    550 too many recipients
    550 5.7.708 Service unavailable. Access denied, traffic not accepted from this IP
    550 Invalid sender address
    501 Bad sender address syntax
    550 Unknown sender
    550 invalid return path
    550 Sender address does not exist
    550 5.1.0 Invalid from address
    553 5.1.8 sender's domain unknown
    550 The sender's mailbox does not exist
    550 sender mailbox not found
    550 your domain does not exist
    550 Sender domain not found
    550 return address domain unknown
    550 Invalid HELO
    550 unknown user authentication failed
    550 Bad HELO: invalid host
    550 bad reputation
    550 Invalid header address in From
    550 5.7.1 Too many invalid recipients
    550 Too many unknown users
    550 too many invalid recipients from this host
    550 5.7.0 Local Policy Violation
    550 Envelope blocked - User Entry
    550 Envelope blocked - User Domain Entry
    550 This mailbox is not allowed to receive mail from outside
    550 5.7.1 only members may post
    550 [IP] address not allowed
    550 IP address is not valid
    550 your IP address is invalid
    550 Client IP address not found in reverse DNS
    550 Invalid IP address
    554 5.7.1 <unknown[192.0.2.1]>: Client host rejected: Access denied
    550 5.7.1 Client does not have permissions to send as this sender
    550 message has been blocked: the recipient is not in list
    550 5.0.350 Remote server returned an error -> 550 Blocked
    550 5.7.520 Access denied, Your organization does not allow external forwarding
    550 5.2.121 Recipient's per hour message receive limit from specific sender exceeded
    550 5.2.122 Recipient's per hour message receive limit exceeded
    550 5.1.2 sender domain invalid
    550 Recipient limit exceeded
    550 Message content rejected, UBE
    550 SPAM: user unknown to whitelist
    550 5.7.1 Recipient not in whitelist
    550 Your mail could not be accepted, invalid DKIM signature
    554 The message was rejected because it contains prohibited virus or spam content
    550 receiver's IP blocked
    550 not authorized
    550 Not allowed
    550 denied by policy
    550 Recipient address rejected: Mail appeared to be SPAM
    550 5.7.1 <ada@example.org>: Recipient address rejected: Please see SPF
    554 5.7.1 <ada@example.org>: Recipient address rejected: Access denied
    550 5.7.1 Recipient address rejected: blacklisted
    550 recipient does not accept bulk mail
    550 5.7.1 The user or domain that you are sending to (or from) has a policy that prohibited the mail that you sent
    550 invalid sender domain
    550 Your address is unknown to us
    550 Your host name is invalid
    550 The sender does not exist
    550 From address does not exist
    553 Sender is on user denylist
    550 Sender address has null MX
    550 5.7.27 Sender address has null MX
    550 Sender MX is invalid
    550 sender domain has no MX
    501 Syntactically invalid HELO argument(s)
    501 Invalid domain name in HELO
    550 Virus detected in the message for user ada
    550 Attachment not allowed for recipient
    550 message has invalid header; address syntax
    550 Header From address is invalid
    550 5.6.0 bad header
    550 Too many recipients: address rejected
    550 rejected: no valid reverse DNS for host
    554-gmx.net (mxgmx001) Nemesis ESMTP Service not available 554-No SMTP service 554 IP address is block listed.
    550 5.7.1 You are not a member of this list
    550 5.7.1 The sending host was not found in the directory of permitted senders
  `,
  given_up: `
    550 5.4.300 Message expired -> 451 4.4.0
    550 5.4.316 Message expired, connection refused(SocketConnectionRefused)
    550 4.4.7 QUEUE.Expired; message expired
    550 5.4.7 Delivery expired (message too old)
    554 5.4.4 Name service error for name=a.b.c type=MX: Malformed or unexpected name server reply
    550 Host unreachable
    550 Connection refused
    550 network is unreachable
    550 no route to host
    550 timed out
    550 Lost connection
    554 5.4.1 connection timed out
    550 5.4.317 Message expired, cannot connect to remote server
    550 Sorry, I wasn't able to establish an SMTP connection
    550 retry timeout exceeded
    550 unable to connect
    550 Connection timed out
  `,
  refused: `
    550 Message rejected. Please see https://postmaster.t-online.de
    550 Connection denied
    550 5.4.6 Routing loop detected
    554 5.4.14 Hop count exceeded - possible mail loop
    554 5.4.0 Error: too many hops
    550 5.3.0 Other mail system status
    554 5.3.0 Undefined mail system status
    550 5.6.1 Message has no From header
    550 5.5.2 syntax error
    503 Bad sequence of commands
    500 Command not recognized
    502 Command not implemented
    554 Transaction failed
    554 5.0.0 Service unavailable
    550 5.2.0 STOREDRV.Deliver: The Microsoft Exchange Information Store service reported an error
    550 5.1.4 RESOLVER.ADR.Ambiguous; ambiguous address
    550 5.2.14 RESOLVER.FWD.Loop
    550 5.3.5 System incorrectly configured
    550 invalid message format
    550 Bad message
    550 Message rejected: bad attachment
    550 unknown command
    500 unknown command
    554 unknown error
    550 5.3.0 unknown error: local delivery
    550 Rejected by recipient
    550 recipient refuses mail from you
    550 Invalid credentials
    550 no such file or directory
    550 5.7.1 Hop count exceeded
    554 5.4.12 SMTP; Hop count exceeded - possible mail loop detected on message id
    550 Message rejected
    550 Please turn on SMTP Authentication in your mail client
    550 authentication is required for relay
    550 lowest numbered MX record points to local host
    550 mail for example.org loops back to myself
    550 host lookup did not complete
    550 Message frozen
    550 Not accepting mail
    550 Delivery temporarily suspended
    550 Server too busy
    550 configuration error: mail loop
    550 pipe to |/usr/bin/vacation failed
    550 Command died with status 1
    550 local delivery failed
    550 can't create output
    550 can not open new email file
    550 Unable to switch to /var/vpopmail: input/output error. (#4.3.0)
    550 Message rejected by receiver
    550 Recipient address rejected: Service is unavailable
    553 From: address not verified; see http://help.yahoo.com
    550 unable to verify sender
    550 Dynamic IP: host not accepted
    554 No SMTP service here
    554 5.3.2 No SMTP service here
    550 Maximum number of recipients exceeded
    554 No SMTP service
  `,
};
