import { idTime } from '@lettermill/events';
import { ID_SLACK_MS, laterRequestTerm } from './message.record';
import { conditionsOf, leadingOf, type Conditions } from './messages.search';
import type { MessageFilter, MessagePage } from './messages.store';

type Condition = Record<string, unknown>;

/** A walk along one index, from the newest message on. */
export interface Walk {
  index: string;
  filter: Condition;
}

type Lead = [index: string, condition: Condition];

const isFirstRequest = (id: string): Condition => ({ request_id: { $eq: id } });
const hasTerm = (term: string): Condition => ({ terms: { $eq: term } });

/** `from` and `to` are one condition (`acceptedIn`). */
const CONDITIONS: Conditions<Condition, Exclude<keyof MessageFilter, 'from' | 'to'>> = {
  externalMessageId: (id) => ({ external_message_id: { $eq: id } }),
  requestId: (id) => ({ $or: [isFirstRequest(id), hasTerm(laterRequestTerm(id))] }),
  contact: (terms) => ({ terms: { $in: terms } }),
  reason: (code) => ({ reason: { $eq: code } }),
  campaign: (name) => ({ $or: [{ campaign_slug: { $eq: name } }, { campaign_id: { $eq: name } }] }),
  states: (states) => ({ state: { $in: states } }),
};

/** A lead for each alternative of the leading condition, with its own index. */
function leadsOf(leading: ReturnType<typeof leadingOf>, filter: MessageFilter): Lead[] {
  switch (leading) {
    case undefined:
      return [['newest', {}]];
    case 'externalMessageId':
      return [['external', CONDITIONS.externalMessageId(filter.externalMessageId!)]];
    case 'requestId':
      return [
        ['request', isFirstRequest(filter.requestId!)],
        ['term', hasTerm(laterRequestTerm(filter.requestId!))],
      ];
    case 'contact':
      return filter.contact!.map((term): Lead => ['term', hasTerm(term)]);
    case 'campaign':
      return [
        ['slug', { campaign_slug: { $eq: filter.campaign } }],
        ['campaign', { campaign_id: { $eq: filter.campaign } }],
      ];
    case 'reason':
      return [['reason', CONDITIONS.reason(filter.reason!)]];
    case 'states':
      // One query, in which the server merges the parts of the index: between two, a message may change from one state to the other.
      return [['state', CONDITIONS.states(filter.states!)]];
  }
}

/** Bounds of the message id. A range of time bounds it, too, unless the ids in question do not reveal their time. */
function idBounds({ before }: MessagePage, timeRange: Pick<MessageFilter, 'from' | 'to'>): Condition {
  const lower = timeRange.from === undefined ? undefined : idTime(timeRange.from - ID_SLACK_MS);
  const uppers = [before, timeRange.to === undefined ? undefined : idTime(timeRange.to + ID_SLACK_MS + 1)];
  const upper = uppers.filter((bound) => bound !== undefined).sort()[0];
  const bounds = { ...(lower === undefined ? {} : { $gte: lower }), ...(upper === undefined ? {} : { $lt: upper }) };
  return Object.keys(bounds).length > 0 ? { message_id: bounds } : {};
}

/** `created_at` is absent until a message is known to be accepted. */
function acceptedIn({ from, to }: MessageFilter): Condition {
  if (from === undefined && to === undefined) return { created_at: { $exists: true } };
  return { created_at: { ...(from === undefined ? {} : { $gte: from }), ...(to === undefined ? {} : { $lte: to }) } };
}

/** `$and` keeps conditions on the same field apart. Every value is a literal. */
function walk(accountId: string, [index, lead]: Lead, conditions: Condition[]): Walk {
  const all = conditions.filter((condition) => Object.keys(condition).length > 0);
  return { index: `tracker_message_${index}`, filter: { account_id: { $eq: accountId }, ...lead, $and: all } };
}

/**
 * The walks whose messages together contain the page. A range of time is turned into a range of ids, so that the walk begins and ends near
 * it; the few messages whose ids do not reveal their time (`late`) are queried separately, and first: an earlier acceptance that becomes
 * known may end that.
 */
export function searchWalks(accountId: string, filter: MessageFilter, page: MessagePage): Walk[] {
  const leading = leadingOf(filter);
  const leads = leadsOf(leading, filter);
  const named = conditionsOf(filter, CONDITIONS);
  const others = named.filter(([name]) => name !== leading).map(([, condition]) => condition);
  const accepted = acceptedIn(filter);
  if (filter.from === undefined && filter.to === undefined) {
    return leads.map((lead) => walk(accountId, lead, [...others, accepted, idBounds(page, {})]));
  }
  const inTime = [...others, accepted, { late: { $eq: false } }, idBounds(page, filter)];
  const late = [...named.map(([, condition]) => condition), accepted, idBounds(page, {})];
  return [
    walk(accountId, ['late', { late: { $eq: true } }], late),
    ...leads.map((lead) => walk(accountId, lead, inTime)),
  ];
}
