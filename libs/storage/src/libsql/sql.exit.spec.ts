import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const BUILT = resolve(__dirname, '../../../../dist/libs/storage/src/libsql/sql.database.js');

/** A process that exits while its database has much to do. */
const EXITING = `
  const { SqlDatabase } = require(process.argv[1]);
  const database = new SqlDatabase(process.argv[2]);
  let done = 0;
  const exit = () => ++done === 300 && process.exit(0);
  for (let at = 0; at < 50_000; at += 1) database.readVaried('SELECT ' + at).then(exit, exit);`;

describe('a process that exits while a database is in use', () => {
  it('is not aborted by the driver', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'lettermill-sql-'));
    const run = (at: number) =>
      promisify(execFile)(process.execPath, ['-e', EXITING, BUILT, join(directory, `${at}.db`)]);
    // The driver aborts about every second one.
    for (let at = 0; at < 5; at += 1) expect(await run(at)).toEqual({ stdout: '', stderr: '' });
    await rm(directory, { recursive: true });
  }, 60_000);
});
