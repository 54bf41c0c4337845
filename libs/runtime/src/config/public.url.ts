import type { Config, Role } from './config';
import { isLoopback } from './smtp.url';

/** Who writes links to it into mails. */
const WRITERS: Role[] = ['renderer', 'standalone'];

/** Mail programs make a button of https links alone; what is for this machine only is an attempt. */
export function publicUrlWarning({ publicUrl }: Pick<Config, 'publicUrl'>, service: Role): string | undefined {
  if (publicUrl === null || !WRITERS.includes(service)) return undefined;
  const { protocol, hostname } = new URL(publicUrl);
  if (protocol === 'https:' || isLoopback(hostname)) return undefined;
  return 'PUBLIC_URL is not an https address: mail programs show no button for such unsubscribe links (RFC 8058), and anyone who can read the traffic can use them';
}
