import type { SqlValue } from '@lettermill/storage';
import { idTime } from '@lettermill/events';
import { ID_SLACK_MS, laterRequestTerm } from './message.record';
import { MAX_PAGE_BYTES } from './messages.page';
import { conditionsOf, leadingOf, type Conditions } from './messages.search';
import type { MessageFilter, MessagePage } from './messages.store';

interface Condition {
  sql: string;
  params: SqlValue[];
}

/** A walk along one index, from the newest message on. `row` is the table whose account and message id the index holds. */
interface Walk {
  source: string;
  row: 'm' | 't';
  where: Condition;
}

const equal = (column: string, value: SqlValue): Condition => ({ sql: `${column} = ?`, params: [value] });
const among = (column: string, values: SqlValue[]): Condition => ({
  sql: `${column} IN (${values.map(() => '?').join(', ')})`,
  params: values,
});
const along = (index: string, where: Condition): Walk => ({
  source: `tracker_message AS m INDEXED BY tracker_message_${index}`,
  row: 'm',
  where,
});
const LATE_WALK = along('late', { sql: 'm.late = 1', params: [] });
const NEWEST_WALK: Walk = { source: 'tracker_message AS m', row: 'm', where: { sql: 'TRUE', params: [] } };

function hasTerm(terms: string[]): Condition {
  const { sql, params } = among('o.term', terms);
  const theirs = 'o.account_id = m.account_id AND o.message_id = m.message_id';
  return { sql: `EXISTS (SELECT 1 FROM tracker_term AS o WHERE ${theirs} AND ${sql})`, params };
}

const either = (one: Condition, other: Condition): Condition => ({
  sql: `(${one.sql} OR ${other.sql})`,
  params: [...one.params, ...other.params],
});
const isFirstRequest = (id: string) => equal('m.request_id', id);

const CONDITIONS: Conditions<Condition> = {
  externalMessageId: (id) => equal('m.external_message_id', id),
  requestId: (id) => either(isFirstRequest(id), hasTerm([laterRequestTerm(id)])),
  contact: hasTerm,
  reason: (code) => equal('m.reason', code),
  campaign: (name) => ({ sql: '? IN (m.campaign_slug, m.campaign_id)', params: [name] }),
  states: (states) => among('m.state', states),
  from: (at) => ({ sql: 'm.created_at >= ?', params: [at] }),
  to: (at) => ({ sql: 'm.created_at <= ?', params: [at] }),
};

function withTerm(term: string): Walk {
  const source = `tracker_term AS t CROSS JOIN tracker_message AS m
    ON m.account_id = t.account_id AND m.message_id = t.message_id`;
  return { source, row: 't', where: equal('t.term', term) };
}

/** A walk for each alternative of the leading condition, along its own index. */
function walksOf(leading: ReturnType<typeof leadingOf>, filter: MessageFilter): Walk[] {
  switch (leading) {
    case undefined:
      return [NEWEST_WALK];
    case 'externalMessageId':
      return [along('external', CONDITIONS.externalMessageId(filter.externalMessageId!))];
    case 'requestId':
      return [along('request', isFirstRequest(filter.requestId!)), withTerm(laterRequestTerm(filter.requestId!))];
    case 'contact':
      return filter.contact!.map(withTerm);
    case 'campaign':
      return [
        along('slug', equal('m.campaign_slug', filter.campaign!)),
        along('campaign', equal('m.campaign_id', filter.campaign!)),
      ];
    case 'reason':
      return [along('reason', CONDITIONS.reason(filter.reason!))];
    case 'states':
      return filter.states!.map((state) => along('state', equal('m.state', state)));
  }
}

/** Bounds of the message id; `created_at` is null until a message is known to be accepted. */
function bounds(row: 'm' | 't', { before }: MessagePage, timeRange: Pick<MessageFilter, 'from' | 'to'>): Condition[] {
  const found: Condition[] = [{ sql: 'm.created_at IS NOT NULL', params: [] }];
  const id = `${row}.message_id`;
  if (before !== undefined) found.push({ sql: `${id} < ?`, params: [before] });
  if (timeRange.from !== undefined) found.push({ sql: `${id} >= ?`, params: [idTime(timeRange.from - ID_SLACK_MS)] });
  if (timeRange.to !== undefined) found.push({ sql: `${id} < ?`, params: [idTime(timeRange.to + ID_SLACK_MS + 1)] });
  return found;
}

function select(accountId: string, walks: Walk[], filters: Condition[], page: MessagePage, timeRange: MessageFilter) {
  const branches = walks.map(({ source, row, where }): Condition => {
    const all = [equal(`${row}.account_id`, accountId), where, ...filters, ...bounds(row, page, timeRange)];
    const sql = all.map((condition) => condition.sql).join(' AND ');
    return {
      sql: `SELECT ${row}.message_id AS id FROM ${source} WHERE ${sql}`,
      params: all.flatMap(({ params }) => params),
    };
  });
  const ids = `${branches.map(({ sql }) => sql).join(' UNION ')} ORDER BY id DESC LIMIT ?`;
  // One more than the page tells whether there are more. `octet_length` does not read the facts.
  const sql = `WITH found AS MATERIALIZED (${ids}),
    sized AS MATERIALIZED (SELECT found.id, m.rowid AS place, octet_length(m.facts) AS bytes
      FROM found CROSS JOIN tracker_message AS m ON m.account_id = ? AND m.message_id = found.id)
    SELECT m.account_id, m.message_id, m.revision,
      CASE WHEN (SELECT total(bytes) FROM sized AS newer WHERE newer.id > sized.id) <= ? THEN m.facts END AS facts
    FROM sized CROSS JOIN tracker_message AS m ON m.rowid = sized.place ORDER BY sized.id DESC`;
  return { sql, params: [...branches.flatMap(({ params }) => params), page.limit + 1, accountId, MAX_PAGE_BYTES] };
}

/**
 * The queries whose rows together contain the page. A range of time is turned into a range of ids, so that the walk begins and ends near
 * it; the few messages whose ids do not reveal their time (`late`) are queried separately.
 */
export function searchQueries(accountId: string, filter: MessageFilter, page: MessagePage): Condition[] {
  const leading = leadingOf(filter);
  const walks = walksOf(leading, filter);
  const filters = conditionsOf(filter, CONDITIONS);
  const others = filters.filter(([name]) => name !== leading).map(([, condition]) => condition);
  if (filter.from === undefined && filter.to === undefined) return [select(accountId, walks, others, page, {})];
  const inTime = [...others, { sql: 'm.late = 0', params: [] }];
  const all = filters.map(([, condition]) => condition);
  return [select(accountId, walks, inTime, page, filter), select(accountId, [LATE_WALK], all, page, {})];
}
