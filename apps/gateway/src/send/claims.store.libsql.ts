import type { SqlDatabase, SqlRow, SqlStep } from '@lettermill/storage';
import {
  ENDED,
  messageIdsIn,
  namelessIdsOf,
  type Claim,
  type ClaimStore,
  type HeldName,
  type ClaimRef,
  type Releasable,
  type UniqueName,
  type TakenId,
} from './claims.store';

const INSERT = `INSERT INTO gateway_names
  (account_id, kind, value, message_id, request_id, message_ids, fingerprint, state, lease_until, expires_at, contact)
  VALUES (?, ?, ?, ?, ?, ?, ?, 'claimed', ?, ?, ?) ON CONFLICT DO NOTHING`;
const HELD = `SELECT * FROM gateway_names WHERE account_id = ? AND kind = ? AND value = ? AND request_id <> ?`;
const TAKEN = `SELECT value, message_id FROM gateway_names WHERE account_id = ? AND kind = 'external'
  AND value IN (SELECT ids.value FROM json_each(?) AS ids) AND state = 'confirmed'`;
const OF_REQUESTS = `SELECT * FROM gateway_names WHERE account_id = ?
  AND request_id IN (SELECT ids.value FROM json_each(?) AS ids)`;
const TAKE_OVER = `UPDATE gateway_names
  SET request_id = ?, message_ids = ?, fingerprint = ?, lease_until = ?,
    expires_at = iif(kind = 'key', ?, NULL)
  WHERE account_id = ? AND kind = ? AND value = ? AND request_id = ? AND state = 'claimed' AND lease_until < ?`;
const CONFIRM = `UPDATE gateway_names
  SET state = 'confirmed', ack = iif(kind = 'key', ?, NULL), expires_at = iif(kind = 'key', ?, NULL)
  WHERE account_id = ? AND request_id = ?`;
const HELD_BY_CLAIM = `account_id = ? AND request_id = ? AND lease_until = ? AND state = 'claimed'`;
const RENEW = `UPDATE gateway_names SET lease_until = ? WHERE ${HELD_BY_CLAIM}`;
/** Names already confirmed when the store was killed while confirming belong to the request, too. */
const OWN = `SELECT count(*) AS own FROM gateway_names
  WHERE account_id = ? AND request_id = ? AND (lease_until = ? OR state = 'confirmed')`;
const RELEASE = `DELETE FROM gateway_names WHERE ${HELD_BY_CLAIM}`;
const ABANDON = `UPDATE gateway_names SET lease_until = ${ENDED} WHERE ${HELD_BY_CLAIM}`;
const RESTORE = `UPDATE gateway_names SET request_id = ?, message_ids = ?, fingerprint = ?, lease_until = ${ENDED}
  WHERE ${HELD_BY_CLAIM} AND kind = ? AND value = ?`;
const EXPIRE = `UPDATE gateway_names SET lease_until = ${ENDED} WHERE state = 'claimed'`;
/** Rows per statement; other writes can run in between. */
const SWEEP_BATCH_SIZE = 500;
const SWEEP = `DELETE FROM gateway_names WHERE (account_id, kind, value) IN
  (SELECT account_id, kind, value FROM gateway_names WHERE expires_at < ? LIMIT ?)`;

function heldName(row: SqlRow): HeldName {
  return {
    kind: row.kind as UniqueName['kind'],
    value: String(row.value),
    messageId: row.message_id as string | null,
    requestId: String(row.request_id),
    nameless: JSON.parse(String(row.message_ids)) as string[],
    fingerprint: String(row.fingerprint),
    state: row.state as HeldName['state'],
    leaseUntil: Number(row.lease_until),
    ack: row.ack as string | null,
    ...(row.contact ? { contact: String(row.contact) } : {}),
  };
}

export class LibsqlClaimStore implements ClaimStore {
  constructor(private readonly database: SqlDatabase) {}

  /** What is claimed by then was left by an earlier process, which is gone: it can be taken over at once. */
  async migrate(): Promise<void> {
    await this.database.migrate('gateway.claims', [
      {
        name: '1-names',
        statements: [
          `CREATE TABLE gateway_names (
             account_id TEXT NOT NULL, kind TEXT NOT NULL, value TEXT NOT NULL, message_id TEXT,
             request_id TEXT NOT NULL, message_ids TEXT NOT NULL, fingerprint TEXT NOT NULL, state TEXT NOT NULL,
             lease_until INTEGER NOT NULL, ack TEXT, expires_at INTEGER, contact TEXT,
             PRIMARY KEY (account_id, kind, value)
           ) WITHOUT ROWID`,
          'CREATE INDEX gateway_names_request ON gateway_names (account_id, request_id)',
          'CREATE INDEX gateway_names_expiry ON gateway_names (expires_at) WHERE expires_at IS NOT NULL',
          `CREATE INDEX gateway_names_claimed ON gateway_names (state) WHERE state = 'claimed'`,
        ],
      },
    ]);
    await this.database.write([{ sql: EXPIRE, rows: [[]] }]);
  }

  async claim(claim: Claim): Promise<HeldName[]> {
    const { accountId, requestId } = claim;
    const namelessIds = JSON.stringify(namelessIdsOf(claim));
    const steps: SqlStep[] = [
      { sql: INSERT, rows: claim.names.map((name) => this.insertRow(claim, name, namelessIds)) },
      { sql: HELD, rows: claim.names.map(({ kind, value }) => [accountId, kind, value, requestId]) },
    ];
    const [, held] = await this.database.write(steps);
    if (held!.rows.length > 0 && !claim.tookOver) await this.release(claim);
    return held!.rows.map(heldName);
  }

  async taken(accountId: string, externalIds: string[]): Promise<TakenId[]> {
    const rows = await this.database.read(TAKEN, [accountId, JSON.stringify(externalIds)]);
    return rows.map((row) => ({ value: String(row.value), messageId: String(row.message_id) }));
  }

  async messageIdsOf(accountId: string, requestIds: string[]): Promise<string[]> {
    const rows = await this.database.read(OF_REQUESTS, [accountId, JSON.stringify(requestIds)]);
    return messageIdsIn(rows.map(heldName));
  }

  async takeOver(claim: Claim, held: HeldName[], now: number): Promise<boolean> {
    const { accountId, requestId, fingerprint, leaseUntil, keyExpiresAt } = claim;
    const namelessIds = JSON.stringify(namelessIdsOf(claim));
    const rows = held.map(({ kind, value, requestId: before }) => [
      requestId,
      namelessIds,
      fingerprint,
      leaseUntil,
      keyExpiresAt,
      accountId,
      kind,
      value,
      before,
      now,
    ]);
    const [moved] = await this.database.write([{ sql: TAKE_OVER, rows }]);
    return moved!.changes.some((changed) => changed > 0);
  }

  async renew({ accountId, requestId, leaseUntil: before, names }: Claim, leaseUntil: number): Promise<boolean> {
    const [renewed, own] = await this.database.write([
      { sql: RENEW, rows: [[leaseUntil, accountId, requestId, before]] },
      { sql: OWN, rows: [[accountId, requestId, leaseUntil]] },
    ]);
    return renewed!.changes[0]! > 0 && own!.rows[0]!.own === names.length;
  }

  async confirm(accountId: string, requestId: string, ack: string, keyExpiresAt: number): Promise<void> {
    await this.database.write([{ sql: CONFIRM, rows: [[ack, keyExpiresAt, accountId, requestId]] }]);
  }

  async release({ accountId, requestId, leaseUntil, tookOver = [] }: Releasable): Promise<void> {
    const restored = tookOver.map(({ kind, value, requestId: before, nameless, fingerprint }) => [
      before,
      JSON.stringify(nameless),
      fingerprint,
      accountId,
      requestId,
      leaseUntil,
      kind,
      value,
    ]);
    await this.database.write([
      ...(restored.length > 0 ? [{ sql: RESTORE, rows: restored }] : []),
      { sql: RELEASE, rows: [[accountId, requestId, leaseUntil]] },
    ]);
  }

  async abandon({ accountId, requestId, leaseUntil }: ClaimRef): Promise<void> {
    await this.database.write([{ sql: ABANDON, rows: [[accountId, requestId, leaseUntil]] }]);
  }

  async sweep(now: number): Promise<number> {
    for (let removed = 0; ;) {
      const [result] = await this.database.write([{ sql: SWEEP, rows: [[now, SWEEP_BATCH_SIZE]] }]);
      const [some] = result!.changes;
      removed += some!;
      if (some! < SWEEP_BATCH_SIZE) return removed;
    }
  }

  private insertRow(claim: Claim, name: UniqueName, namelessIds: string): (string | number | null)[] {
    const { accountId, requestId, fingerprint, leaseUntil, keyExpiresAt } = claim;
    return [
      accountId,
      name.kind,
      name.value,
      name.messageId,
      requestId,
      namelessIds,
      fingerprint,
      leaseUntil,
      name.kind === 'key' ? keyExpiresAt : null,
      name.contact ?? null,
    ];
  }
}
