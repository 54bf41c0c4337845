import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqlDatabase, type SqlValue } from '@lettermill/storage';
import Database from 'libsql';
import { claimOf, leaseOf, messageId, NOW, queued, settlement } from '../testing/deliveries';
import { deliveryStoreContract } from './deliveries.store.contract';
import { LibsqlDeliveryStore } from './deliveries.store.libsql';
import { MIGRATIONS } from './deliveries.tables.libsql';

describe('LibsqlDeliveryStore', () => {
  const directory = mkdtempSync(join(tmpdir(), 'dispatch-store-'));
  const open: SqlDatabase[] = [];
  let files = 0;

  async function make(): Promise<LibsqlDeliveryStore> {
    const database = new SqlDatabase(join(directory, `${(files += 1)}.db`));
    open.push(database);
    const store = new LibsqlDeliveryStore(database);
    await store.migrate();
    return store;
  }

  /** The query plan in the database file that was created last. */
  function planOf([sql, params]: [string, SqlValue[]]): string[] {
    const file = new Database(join(directory, `${files}.db`));
    const steps = file.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...params) as { detail: string }[];
    file.close();
    return steps.map(({ detail }) => detail);
  }

  afterEach(() => Promise.all(open.splice(0).map((database) => database.close())));
  afterAll(() => rmSync(directory, { recursive: true }));

  describe('as a delivery store', () => deliveryStoreContract(make));

  it('takes over at once what an earlier process left under its name, and nothing else', async () => {
    const store = await make();
    await store.insert([queued(1)]);
    await store.claim([queued(1)], leaseOf('a'));
    expect(await store.takeOverOwn(leaseOf('b'), 10)).toEqual([]);
    const own = await store.takeOverOwn(leaseOf('a', NOW + 1), 10);
    expect(own).toMatchObject([{ messageId: messageId(1), content: 'content 1' }]);
  });

  it('goes on with what an older version stored, without saying which attempt was asked for until one is', async () => {
    const database = new SqlDatabase(join(directory, `${(files += 1)}.db`));
    open.push(database);
    await database.migrate('dispatch', MIGRATIONS.slice(0, 1));
    const sql = `INSERT INTO dispatch_deliveries (account_id, message_id, state, priority, attempts, due_at, may_have_arrived)
      VALUES ('default', ?, ?, 1, 3, ?, 1)`;
    const rows = [
      [messageId(1), 'deferred', NOW],
      [messageId(2), 'sent', null],
    ];
    await database.write([{ sql, rows }]);
    const store = new LibsqlDeliveryStore(database);
    await store.migrate();
    expect(await store.claim([queued(1)], leaseOf('a'))).toMatchObject([{ attempts: 3, mayHaveArrived: true }]);
    await store.record([{ ...settlement(claimOf(1, 'a', 3), 'bounced'), mayReturn: true }]);
    for (const old of await store.find([queued(1), queued(2)])) expect(old).not.toHaveProperty('requestedAttempt');
    const [before] = await store.find([queued(1)]);
    const next = { ...before!, state: 'deferred' as const, dueAt: NOW, requestedAttempt: 5 };
    expect(await store.order([{ before: before!, next, event: { id: 'e', json: '{}' } }])).toEqual([true]);
    expect(await store.find([queued(1)])).toMatchObject([{ attempts: 4, requestedAttempt: 5 }]);
  });

  it('reads its queues from their indexes, without scans or sorting', async () => {
    const store = await make();
    const statements: [string, SqlValue[]][] = [];
    const read = open.at(-1)!.read.bind(open.at(-1));
    open.at(-1)!.read = (sql, params = []) => {
      statements.push([sql, params]);
      return read(sql, params);
    };
    await store.due(10, 1, '');
    await store.nextDue(0, '');
    await store.lanes();
    await store.expired(10, 1);
    await store.takeOver({ owner: 'a', now: 1, until: 2 }, 10);
    const plans = statements.flatMap(planOf);
    const touching = plans.filter((plan) => plan.includes('dispatch_deliveries'));
    expect(touching).toHaveLength(10);
    for (const plan of touching) expect(plan).toMatch(/^SEARCH .*INDEX dispatch_deliveries_(due|expiring|leased)/);
    expect(plans.filter((plan) => plan.includes('TEMP B-TREE'))).toEqual([]);
  });

  it('finds contents to delete through the contents table, not through all deliveries', async () => {
    const store = await make();
    await store.insert([queued(1)]);
    const write = jest.spyOn(open[0]!, 'write');
    await store.sweep({ contents: NOW, deliveries: NOW }, 10);
    const [contents, deliveries] = write.mock.lastCall![0];
    const lookups = planOf([contents!.sql, contents!.rows[0]!]).filter((step) => / (c|d) USING/.test(step));
    expect(lookups).toEqual([
      expect.stringMatching(/^SEARCH c USING .*\(account_id=\? AND message_id>\? AND message_id<\?\)/),
      expect.stringMatching(/^SEARCH d USING PRIMARY KEY \(account_id=\? AND message_id=\?\)/),
    ]);
    const plan = planOf([deliveries!.sql, deliveries!.rows[0]!]).filter((step) => step.startsWith('S'));
    for (const step of plan) expect(step).toMatch(/^SEARCH .* USING PRIMARY KEY/);
  });

  it('reads what waits before others only once, however many steps a sweep takes', async () => {
    const store = await make();
    const ended = [2, 3, 5];
    const stored = [1, 2, 3, 4, 5].map((n) => queued(n));
    await store.insert(stored);
    await store.claim(
      ended.map((n) => queued(n)),
      leaseOf('a'),
    );
    await store.record(ended.map((n) => settlement(claimOf(n, 'a'), 'sent')));
    const write = jest.spyOn(open[0]!, 'write');
    const all = { contents: 8_000_000_000_000, deliveries: 8_000_000_000_000 };
    for (const begun of [[['', ''], ...ended.map((n) => [messageId(n)])], [['', '']]]) {
      while (await store.sweep(all, 1));
      expect(write.mock.calls.map(([steps]) => steps.map(({ rows }) => rows[0]![1]))).toEqual(begun);
      write.mockClear();
    }
    expect(await store.find(stored)).toHaveLength(2);
  });
});
