export interface FirstSteps {
  /** Address of the gateway for a person. */
  url: string;
  /** Null if the key was provided: whoever did has it, and it must not be repeated where logs are kept. */
  key: string | null;
  /** Address of the mailbox, if there is one. */
  mailbox?: string;
  /** The directory that holds all data, if there is one. */
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

curl -s ${forShell(`${url}/v2/send/email`)} \\
  -H ${key ? `'Authorization: Bearer ${key}'` : '"Authorization: Bearer $BOOTSTRAP_API_KEY"'} \\
  -H 'Content-Type: application/json' \\
  -d '{"campaign": "welcome", "to": {"email": "ada@example.com", "name": "Ada Lovelace"}, "profile_data": {"first_name": "Ada"}}'

`;
}

/** A shell takes brackets, as of an IPv6 address, for a pattern. */
const forShell = (url: string): string => (url.includes('[') ? `'${url}'` : url);
