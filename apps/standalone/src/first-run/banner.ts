export interface Address {
  gatewayUrl: string;
  key: string;
  dataDir: string;
  /** Undefined while mails go to a next hop of the user's own. */
  nextHop?: string;
}

/** What a person who has just started it needs: addresses, the key, and a call that works as pasted. */
export function banner({ gatewayUrl, key, dataDir, nextHop }: Address): string {
  const mails = nextHop
    ? `mails leave through ${nextHop}`
    : 'mails go to the built-in mailbox; nothing leaves this machine';
  const mailbox = nextHop ? '' : `  mailbox   ${gatewayUrl}/mailbox\n`;
  return `
  Lettermill is ready: ${mails}.

  API       ${gatewayUrl}/v2
${mailbox}  docs      ${gatewayUrl}/docs
  API key   ${key}
  data      ${dataDir}

  Send your first message:

curl -s ${gatewayUrl}/v2/send/email \\
  -H 'Authorization: Bearer ${key}' \\
  -H 'Content-Type: application/json' \\
  -d '{"campaign": "welcome", "to": {"email": "ada@example.com", "name": "Ada Lovelace"}, "profile_data": {"first_name": "Ada"}}'

`;
}
