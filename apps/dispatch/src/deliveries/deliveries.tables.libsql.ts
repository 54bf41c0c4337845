import type { SqlMigration } from '@lettermill/storage';

/**
 * `due_at` is set exactly while a delivery may be claimed, `lease_until` exactly while it is being sent. Each has a partial index, so ended
 * deliveries cost the two queues nothing. Contents have a table of their own, so that a change of state rewrites no mail.
 */
export const MIGRATIONS: SqlMigration[] = [
  {
    name: '1-deliveries',
    statements: [
      `CREATE TABLE dispatch_deliveries (
        account_id TEXT NOT NULL,
        message_id TEXT NOT NULL,
        state TEXT NOT NULL,
        priority INTEGER NOT NULL,
        attempts INTEGER NOT NULL,
        due_at INTEGER,
        owner TEXT,
        claimed_at INTEGER,
        lease_until INTEGER,
        last_event TEXT,
        traceparent TEXT,
        domain TEXT NOT NULL DEFAULT '',
        lane TEXT NOT NULL DEFAULT '',
        recipients TEXT,
        rest TEXT,
        may_have_arrived INTEGER,
        expires_at INTEGER,
        PRIMARY KEY (account_id, message_id)
      ) WITHOUT ROWID`,
      `CREATE INDEX dispatch_deliveries_due ON dispatch_deliveries (lane, priority, due_at, account_id, message_id)
        WHERE due_at IS NOT NULL`,
      `CREATE INDEX dispatch_deliveries_leased ON dispatch_deliveries (lease_until, owner)
        WHERE lease_until IS NOT NULL`,
      `CREATE INDEX dispatch_deliveries_expiring ON dispatch_deliveries (expires_at)
        WHERE expires_at IS NOT NULL AND due_at IS NOT NULL`,
      `CREATE TABLE dispatch_contents (
        account_id TEXT NOT NULL,
        message_id TEXT NOT NULL,
        content TEXT NOT NULL,
        PRIMARY KEY (account_id, message_id)
      )`,
      `CREATE TABLE dispatch_outcomes (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        event_id TEXT NOT NULL UNIQUE,
        event TEXT NOT NULL
      )`,
    ],
  },
  {
    // `requested_attempt` is null if the delivery was stored before: nobody knows whether an attempt was asked for.
    name: '2-requested-attempts',
    statements: [
      'ALTER TABLE dispatch_deliveries ADD COLUMN may_have_arrived_before INTEGER',
      'ALTER TABLE dispatch_deliveries ADD COLUMN requested_attempt INTEGER',
    ],
  },
];
