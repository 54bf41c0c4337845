import type { Config, Role } from './config';
import { isLoopback } from './smtp.url';

/** Processes that write links to it into mails. */
const LINK_WRITERS: Role[] = ['renderer', 'standalone'];

/** Mail programs show a button only for https links. A loopback address is for trying things out, and causes no warning. */
export function publicUrlWarning({ publicUrl }: Pick<Config, 'publicUrl'>, service: Role): string | undefined {
  if (publicUrl === null || !LINK_WRITERS.includes(service)) return undefined;
  const { protocol, hostname } = new URL(publicUrl);
  if (protocol === 'https:' || isLoopback(hostname)) return undefined;
  return 'PUBLIC_URL is not an https address: mail programs show no button for such unsubscribe links (RFC 8058), and anyone who can read the traffic can use them';
}
