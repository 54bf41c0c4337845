export interface FirstSteps {
  /** Of the gateway, as a person reaches it. */
  url: string;
  /** Null where it was given: who gave it has it, and it is not repeated where logs are kept. */
  key: string | null;
  /** Of the mailbox, where there is one. */
  mailbox?: string;
  /** Where it keeps everything, where that is a folder. */
  dataDir?: string;
}

/** The addresses, and a call that works as pasted. */
export function firstSteps({ url, key, mailbox, dataDir }: FirstSteps): string {
  return `
  API       ${url}/v2
${mailbox ? `  mailbox   ${mailbox}/mailbox\n` : ''}  docs      ${url}/docs
  API key   ${key ?? 'the one in BOOTSTRAP_API_KEY'}
${dataDir ? `  data      ${dataDir}\n` : ''}
  Send your first message:

curl -s ${url}/v2/send/email \\
  -H ${key ? `'Authorization: Bearer ${key}'` : '"Authorization: Bearer $BOOTSTRAP_API_KEY"'} \\
  -H 'Content-Type: application/json' \\
  -d '{"campaign": "welcome", "to": {"email": "ada@example.com", "name": "Ada Lovelace"}, "profile_data": {"first_name": "Ada"}}'

`;
}
