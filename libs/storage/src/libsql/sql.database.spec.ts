import { copyFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { StoreFault } from '../faults';
import { SqlDatabase } from './sql.database';

describe('libsql database', () => {
  let directory: string;
  let database: SqlDatabase;
  const insert = (...values: number[]) => [{ sql: 'INSERT INTO t VALUES (?)', rows: values.map((value) => [value]) }];
  const count = async () => (await database.read('SELECT count(*) AS n FROM t'))[0]!.n;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'lettermill-sql-'));
    database = new SqlDatabase(join(directory, 'test.db'));
    await database.migrate('test', [{ name: '1', statements: ['CREATE TABLE t (a INTEGER PRIMARY KEY)'] }]);
  });
  afterEach(async () => {
    await database.close();
    await rm(directory, { recursive: true, force: true });
  });

  it('is accessible to its owner only, including its -wal and -shm files and files that were restored', async () => {
    await database.write(insert(1));
    const modes = async (name: string) =>
      Promise.all(['', '-wal', '-shm'].map(async (end) => (await stat(join(directory, name + end))).mode & 0o777));
    expect(await modes('test.db')).toEqual([0o600, 0o600, 0o600]);
    await writeFile(join(directory, 'restored.db'), '', { mode: 0o644 });
    const restored = new SqlDatabase(join(directory, 'restored.db'));
    await restored.migrate('test', [{ name: '1', statements: ['CREATE TABLE t (a INTEGER PRIMARY KEY)'] }]);
    expect(await modes('restored.db')).toEqual([0o600, 0o600, 0o600]);
    await restored.close();
  });

  it('rejects the whole call when one of its statements is refused', async () => {
    await database.write(insert(1));
    await expect(database.write(insert(2, 1))).rejects.toBeInstanceOf(StoreFault);
    expect(await count()).toBe(1);
  });

  it('keeps calls apart that share a commit', async () => {
    await database.write(insert(1));
    const results = await Promise.allSettled([
      database.write(insert(2)),
      database.write(insert(1)),
      database.write(insert(3)),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await count()).toBe(3);
  });

  it('reports that the disk is full, although SQLite then gives up the transaction in the middle of a call', async () => {
    await database.write([{ sql: 'PRAGMA max_page_count = 20', rows: [[]] }]);
    const large = Array.from({ length: 50_000 }, (_, value) => value);
    await expect(database.write(insert(...large))).rejects.toMatchObject({
      retryable: true,
      message: expect.stringContaining('SQLITE_FULL'),
    });
    await database.write(insert(1));
    expect(await count()).toBe(1);
  });

  it('reports a statement that does not parse as a defect, and goes on', async () => {
    await expect(database.write([{ sql: 'NOT SQL', rows: [[]] }])).rejects.toBeInstanceOf(StoreFault);
    await expect(database.read('NOT SQL')).rejects.toBeInstanceOf(StoreFault);
    await database.write(insert(1));
    expect(await count()).toBe(1);
  });

  it('returns rows and changes of each step', async () => {
    const [inserted, updated, selected] = await database.write([
      { sql: 'INSERT INTO t VALUES (?) ON CONFLICT DO NOTHING', rows: [[1], [1], [2]] },
      { sql: 'UPDATE t SET a = a + 10 WHERE a = ? RETURNING a', rows: [[1], [9]] },
      { sql: 'SELECT a FROM t ORDER BY a', rows: [[]] },
    ]);
    expect(inserted!.changes).toEqual([1, 0, 1]);
    expect(updated).toEqual({ rows: [{ a: 11 }], changes: [1, 0] });
    expect(selected!.rows).toEqual([{ a: 2 }, { a: 11 }]);
  });

  it('runs each migration once, in order, and keeps existing data', async () => {
    await database.write(insert(7));
    const migrations = [
      { name: '1', statements: ['CREATE TABLE t (a INTEGER PRIMARY KEY)'] },
      { name: '2', statements: ['ALTER TABLE t ADD COLUMN b TEXT'] },
    ];
    await database.migrate('test', migrations);
    await database.migrate('test', migrations);
    expect(await database.read('SELECT * FROM t')).toEqual([{ a: 7, b: null }]);
  });

  it("logs a migration of an older version's data, but not that of a new file", async () => {
    const said = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
    const migrations = ['1', '2'].map((name) => ({ name, statements: ['SELECT 1'] }));
    await database.migrate('tracker.new', migrations);
    expect(said).not.toHaveBeenCalled();
    await database.migrate('tracker.new', [...migrations, { name: '3', statements: ['SELECT 1'] }]);
    await database.migrate('tracker.new', [...migrations, { name: '3', statements: ['SELECT 1'] }]);
    expect(said.mock.calls).toEqual([[expect.stringContaining('tracker.new 3')]]);
    said.mockRestore();
  });

  it('refuses tables of a version whose migrations it does not know, before it writes anything', async () => {
    const said = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
    await database.migrate('contacts', [{ name: '001-contacts', statements: ['CREATE TABLE contacts (a INTEGER)'] }]);
    const known = [
      { name: '1-contacts', statements: ['CREATE TABLE contacts (b INTEGER)'] },
      { name: '2-merged', statements: ['CREATE TABLE merged (a INTEGER)'] },
    ];
    const refused = await database.migrate('contacts', known).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: 'data_unreadable',
      message:
        'the store of `contacts` was written by a version that this one cannot read (001-contacts): ' +
        'start that version, or set DATA_DIR to an empty directory',
    });
    // Nest would log it.
    expect((refused as Error).stack).toBeUndefined();
    expect(said).not.toHaveBeenCalled();
    const written = await database.read(
      `SELECT name FROM migrations WHERE feature = 'contacts' UNION SELECT name FROM sqlite_master WHERE name = 'merged'`,
    );
    expect(written).toEqual([{ name: '001-contacts' }]);
    said.mockRestore();
  });

  it('goes on with tables that a newer version has changed, and warns of it', async () => {
    const said = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
    const migrations = ['1', '2', '3'].map((name) => ({ name, statements: ['SELECT 1'] }));
    await database.migrate('tracker', migrations);
    await database.migrate('tracker', migrations.slice(0, 1));
    expect(said.mock.calls).toEqual([[expect.stringMatching(/`tracker` .* by a newer version \(2, 3\)/)]]);
    said.mockRestore();
  });

  it('refuses to write on the reading connection', async () => {
    await expect(database.read('INSERT INTO t VALUES (1) RETURNING a')).rejects.toThrow();
    expect(await count()).toBe(0);
  });

  describe('searches', () => {
    const LONG = `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 4000000) SELECT max(n) AS n FROM c`;

    it('run beside reads, which do not wait for them, in any number', async () => {
      const order: string[] = [];
      // However slow the machine is, none of them is dropped.
      const timers = jest.spyOn(globalThis, 'setTimeout').mockReturnValue(0 as never);
      const slow = database.search(LONG).then(([row]) => order.push(`searched ${row!.n as number}`));
      await database.write(insert(1));
      await count();
      order.push('read');
      const many = Array.from({ length: 300 }, () => database.search('SELECT a FROM t WHERE a = ?', [1]));
      expect(await Promise.all(many)).toEqual(many.map(() => [{ a: 1 }]));
      await slow;
      timers.mockRestore();
      expect(order).toEqual(['read', 'searched 4000000']);
    });

    it('cannot write', async () => {
      await expect(database.search('INSERT INTO t VALUES (1) RETURNING a')).rejects.toThrow();
      expect(await count()).toBe(0);
    });
  });

  it('finishes calls in progress when it closes, and refuses later ones', async () => {
    const last = database.write(insert(1));
    await database.close();
    await expect(last).resolves.toBeDefined();
    await expect(database.write(insert(2))).rejects.toMatchObject({ retryable: true });
  });

  it('rejects calls while it is closing: the driver would end the process', async () => {
    const closing = database.close();
    const late = [database.write(insert(1)), database.read('SELECT count(*) AS n FROM t')];
    await Promise.all(late.map((call) => expect(call).rejects.toMatchObject({ retryable: true })));
    await closing;
  });

  it('reports a file that is not a database, and refuses further calls', async () => {
    const broken: Error[] = [];
    const path = join(directory, 'broken.db');
    await writeFile(path, Buffer.alloc(8192, 'no database'));
    const damaged = new SqlDatabase(path, (error) => broken.push(error));
    await expect(damaged.write(insert(1))).rejects.toThrow(/broken\.db .*file is not a database/);
    await expect(damaged.write(insert(2))).rejects.toThrow();
    await damaged.close();
    expect(broken.length).toBeGreaterThan(0);
  });

  it('reports a file that turns out to be damaged, and can still be closed', async () => {
    await database.write(insert(...Array.from({ length: 5_000 }, (_, i) => i)));
    await database.close();
    const broken: Error[] = [];
    const path = join(directory, 'test.db');
    const whole = await readFile(path);
    await writeFile(path, Buffer.concat([whole.subarray(0, 8192), Buffer.alloc(whole.length - 8192, 0xff)]));
    const damaged = new SqlDatabase(path, (error) => broken.push(error));
    await expect(damaged.read('SELECT sum(a) FROM t')).rejects.toThrow(/SQLITE_CORRUPT/);
    await damaged.close();
    expect(broken).toHaveLength(1);
  });

  it('leaves no write-ahead log behind when it is closed, so that the file alone is the whole database', async () => {
    await database.write(insert(1));
    // A race that was lost once in a hundred times: several at once, as often as the time allows.
    const others = Array.from({ length: 20 }, (_, i) => new SqlDatabase(join(directory, `${i}.db`)));
    await Promise.all(others.map((other) => other.write([{ sql: 'CREATE TABLE t (a INTEGER)', rows: [[]] }])));
    await Promise.all([database, ...others].map((one) => one.close()));
    expect((await readdir(directory)).filter((name) => /-(wal|shm)$/.test(name))).toEqual([]);
  });

  it('reports a file that cannot be opened', async () => {
    const broken: Error[] = [];
    const nowhere = new SqlDatabase(join(directory, 'no', 'such', 'directory.db'), (error) => broken.push(error));
    const message = expect.stringMatching(/directory\.db cannot be used/);
    await expect(nowhere.write(insert(1))).rejects.toMatchObject({ retryable: true, message });
    await nowhere.close();
    expect(broken).toHaveLength(3);
  });

  it('writes the write-ahead log into the file while it is open', async () => {
    const size = async () => (await stat(join(directory, 'test.db'))).size;
    const before = await size();
    await database.write(insert(...Array.from({ length: 5_000 }, (_, i) => i)));
    // Closing it would do so, too.
    while ((await size()) === before) await new Promise(setImmediate);
    expect(await count()).toBe(5_000);
  });

  it('writes the write-ahead log of a dead process into the file before anything else: it may be in memory alone', async () => {
    await database.write(insert(...Array.from({ length: 500 }, (_, i) => i)));
    const left = join(directory, 'left.db');
    for (const end of ['', '-wal']) await copyFile(join(directory, `test.db${end}`), `${left}${end}`);
    expect((await stat(`${left}-wal`)).size).toBeGreaterThan(0);
    const again = new SqlDatabase(left);
    await again.write([{ sql: 'SELECT 1', rows: [[]] }]);
    expect(await again.read('SELECT count(*) AS n FROM t')).toEqual([{ n: 500 }]);
    const { size } = await stat(`${left}-wal`);
    await again.close();
    expect(size).toBe(0);
  });

  it('keeps its write-ahead log small under writes without a pause', async () => {
    await database.write([{ sql: 'CREATE TABLE large (content TEXT)', rows: [[]] }]);
    const row = [{ sql: 'INSERT INTO large VALUES (?)', rows: [['x'.repeat(1024 * 1024)]] }];
    const caller = async () => {
      for (let i = 0; i < 50; i += 1) await database.write(row);
    };
    await Promise.all([caller(), caller()]);
    expect((await stat(join(directory, 'test.db-wal'))).size).toBeLessThan(64 * 1024 * 1024);
  });

  it('is not reported as broken when a statement is refused', async () => {
    const broken: Error[] = [];
    const fine = new SqlDatabase(join(directory, 'fine.db'), (error) => broken.push(error));
    await expect(fine.write([{ sql: 'NOT SQL', rows: [[]] }])).rejects.toBeInstanceOf(StoreFault);
    await fine.write([{ sql: 'SELECT 1', rows: [[]] }]);
    await fine.close();
    expect(broken).toEqual([]);
  });
});
