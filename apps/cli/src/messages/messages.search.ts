import { instantOf } from '../arguments';
import { CommandFault } from '../command.fault';
import { chosenText } from '../output';
import type { Gateway } from './gateway';

const PAGE = 100;

/** As the options have it; the names are those of `GET /v2/messages`. */
export interface SearchOptions {
  campaign?: string;
  state?: string;
  reason?: string;
  contact?: string;
  requestId?: string;
  externalMessageId?: string;
  since?: string;
}

/** What the list shows of a message; the API answers more. */
export interface FoundMessage {
  message_id: string;
  created_at: string;
  state: string;
  reason: { code: string } | null;
  campaign: { slug: string };
}

interface Page {
  data: FoundMessage[];
  next_cursor: string | null;
  errors?: { detail: string }[];
}

/** Accepted until `now`: what comes later is not part of what was chosen. */
function queryOf(options: SearchOptions, now: number): URLSearchParams {
  const { since, requestId, externalMessageId, campaign, state, reason, contact } = options;
  const asked = {
    ...{ campaign, state, reason, contact, request_id: requestId, external_message_id: externalMessageId },
    from: since === undefined ? undefined : instantOf(since, now),
    to: new Date(now).toISOString(),
  };
  return new URLSearchParams(Object.entries(asked).filter((pair): pair is [string, string] => pair[1] !== undefined));
}

/** The messages that all options fit, newest first, `most` of them. */
export async function search(
  gateway: Gateway,
  options: SearchOptions,
  now: number,
  most = Infinity,
): Promise<FoundMessage[]> {
  const found: FoundMessage[] = [];
  const query = queryOf(options, now);
  for (;;) {
    query.set('limit', String(Math.min(PAGE, most - found.length)));
    const { status, body } = await gateway.call<Page>('GET', `/v2/messages?${query.toString()}`);
    if (status !== 200) throw new CommandFault(refusal(body), 2);
    found.push(...body.data);
    if (!body.next_cursor || found.length >= most) return found;
    query.set('cursor', body.next_cursor);
  }
}

function refusal({ errors = [], detail }: { errors?: Page['errors']; detail?: string }): string {
  return [detail, ...errors.map((error) => error.detail)].filter(Boolean).join(' ');
}

/** In words, for the question whether it is meant. */
export function searchText(options: SearchOptions): string {
  const { campaign, state, reason, contact, since, requestId, externalMessageId } = options;
  return chosenText({
    ...{ campaign, state, reason, contact, since },
    ...{ request: requestId, 'external id': externalMessageId },
  });
}
