import { firstSteps } from '../../../init/src/first-run/first.steps';

export interface Address {
  gatewayUrl: string;
  key: string;
  dataDir: string;
  /** Undefined while mails go to a next hop of the user's own. */
  nextHop?: string;
}

/** What a person who has just started it needs: where mails and data go, addresses, the key, and a first call. */
export function banner({ gatewayUrl, key, dataDir, nextHop }: Address): string {
  const mails = nextHop
    ? `mails leave through ${nextHop}`
    : 'mails go to the built-in mailbox; nothing leaves this machine';
  const mailbox = nextHop ? undefined : gatewayUrl;
  return `
  Lettermill is ready: ${mails}.
${firstSteps({ url: gatewayUrl, key, mailbox, dataDir })}`;
}
