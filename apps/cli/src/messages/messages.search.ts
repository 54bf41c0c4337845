import { instantOf } from '../arguments';
import { describeFilter } from '../output';
import type { Gateway } from '../gateway/gateway';
import { listed } from '../gateway/listed';

/** The options of the command; the names are those of the parameters of `GET /v2/messages`. */
export interface SearchOptions {
  campaign?: string;
  state?: string;
  reason?: string;
  contact?: string;
  requestId?: string;
  externalMessageId?: string;
  since?: string;
}

/** The fields of a message that the list shows; the API answers more. */
export interface FoundMessage {
  message_id: string;
  created_at: string;
  state: string;
  reason: { code: string } | null;
  campaign: { slug: string };
  /** One key with its value. */
  contact_key: Record<string, string>;
}

export function isFiltered(options: SearchOptions): boolean {
  return queryOf(options, 0).size > 0;
}

function queryOf(options: SearchOptions, now: number): URLSearchParams {
  const { since, requestId, externalMessageId, campaign, state, reason, contact } = options;
  const parameters = {
    campaign,
    state,
    reason,
    contact,
    request_id: requestId,
    external_message_id: externalMessageId,
    from: since === undefined ? undefined : instantOf(since, now),
  };
  return new URLSearchParams(
    Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
}

/** Later than the gateway's clock, whatever the clock here says. */
const END_OF_TIME = '9999-12-31T00:00:00Z';

/**
 * All messages accepted by now that match the options: a search until a time is answered once everything until then is known. Messages
 * accepted meanwhile are newer than the beginning of the next page, so none of them is found.
 */
export function searchAll(gateway: Gateway, options: SearchOptions, now: number): AsyncGenerator<FoundMessage> {
  const query = queryOf(options, now);
  query.set('to', END_OF_TIME);
  return listed(gateway, '/v2/messages', query);
}

/** The messages that match all options, newest first, at most `limit`, of those that the view has read. */
export function search(
  gateway: Gateway,
  options: SearchOptions,
  now: number,
  limit: number,
): AsyncGenerator<FoundMessage> {
  return listed(gateway, '/v2/messages', queryOf(options, now), limit);
}

/** The search in words, for the question that asks for confirmation. */
export function searchText(options: SearchOptions): string {
  const { campaign, state, reason, contact, since, requestId, externalMessageId } = options;
  return describeFilter({
    campaign,
    state,
    reason,
    contact,
    since,
    request: requestId,
    'external id': externalMessageId,
  });
}
