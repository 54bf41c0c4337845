import { reachableUrl } from '@lettermill/config';
import { firstSteps } from '../../../init/src/first-run/first.steps';

export interface BannerFacts {
  gatewayUrl: string;
  /** Null if the environment provides the key. */
  key: string | null;
  dataDir: string;
  /** Undefined while mails go to the built-in mailbox. */
  nextHop?: string;
}

/**
 * The text for a person who has just started it: where mails and data go, the addresses, the key unless the environment provides it, and a
 * first call.
 */
export function banner({ gatewayUrl, key, dataDir, nextHop }: BannerFacts): string {
  const mails = nextHop
    ? `mails leave through ${nextHop}`
    : 'mails go to the built-in mailbox; nothing leaves this machine';
  const url = reachableUrl(gatewayUrl);
  const mailbox = nextHop ? undefined : url;
  return `
  Lettermill is ready: ${mails}.
${firstSteps({ url, key, mailbox, dataDir })}`;
}
