import { firstSteps } from '../../../init/src/first-run/first.steps';

export interface Address {
  gatewayUrl: string;
  /** Null where it was given. */
  key: string | null;
  dataDir: string;
  /** Undefined while mails go to a next hop of the user's own. */
  nextHop?: string;
}

/** Nobody calls «every address»: whoever reads this is most likely on the same machine. */
const callable = (url: string) => url.replace(/\/\/(0\.0\.0\.0|\[::\])(?=:)/, '//127.0.0.1');

/** What a person who has just started it needs: where mails and data go, addresses, the key unless it was given, and a first call. */
export function banner({ gatewayUrl, key, dataDir, nextHop }: Address): string {
  const mails = nextHop
    ? `mails leave through ${nextHop}`
    : 'mails go to the built-in mailbox; nothing leaves this machine';
  const url = callable(gatewayUrl);
  const mailbox = nextHop ? undefined : url;
  return `
  Lettermill is ready: ${mails}.
${firstSteps({ url, key, mailbox, dataDir })}`;
}
