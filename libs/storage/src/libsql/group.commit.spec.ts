import { failedAnswer, GroupCommit } from './group.commit';
import type { SqlAnswer, SqlCall } from './sql.protocol';

const call = (id: number): SqlCall => ({ id, steps: [] });
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** A connection and a disk that each test controls; `told` has what happens, in order. */
function setUp({ run = ({ id }: SqlCall): SqlAnswer => ({ id, results: [] }), commit = () => undefined as void } = {}) {
  const told: string[] = [];
  const syncs: { done(): void; fail(error: Error): void }[] = [];
  const database = {
    inTransaction: false,
    exec(sql: string) {
      if (!sql.startsWith('BEGIN') && !database.inTransaction) throw new Error('no transaction is active');
      if (sql === 'COMMIT') commit();
      told.push(sql);
      database.inTransaction = sql.startsWith('BEGIN');
    },
  };
  const runCall = (one: SqlCall) => {
    told.push(`call ${one.id}`);
    return run(one);
  };
  const sync = () => new Promise<void>((done, fail) => syncs.push({ done, fail }));
  const ended = ({ id, error }: SqlAnswer) => (error ? `${id} ${error.code}` : `${id} done`);
  const group = new GroupCommit(database, runCall, sync, (answers) => told.push(answers.map(ended).join(', ')));
  return { group, told, syncs, database };
}

describe('group commit', () => {
  it('answers calls only after the sync that follows the commit', async () => {
    const { group, told, syncs } = setUp();
    group.runCalls([call(1), call(2)]);
    await nextTurn();
    expect(told.splice(0)).toEqual(['BEGIN IMMEDIATE', 'call 1', 'call 2', 'COMMIT']);
    syncs[0]!.done();
    await group.settled();
    expect(told).toEqual(['1 done, 2 done']);
  });

  it('runs calls that arrive during a sync and commits them together after it', async () => {
    const { group, told, syncs } = setUp();
    group.runCalls([call(1)]);
    group.runCalls([call(2)]);
    group.runCalls([call(3)]);
    await nextTurn();
    expect(syncs).toHaveLength(1);
    syncs[0]!.done();
    await nextTurn();
    expect(told).toEqual([
      'BEGIN IMMEDIATE',
      'call 1',
      'COMMIT',
      'BEGIN IMMEDIATE',
      'call 2',
      'call 3',
      '1 done',
      'COMMIT',
    ]);
    syncs[1]!.done();
    await group.settled();
    expect(told.at(-1)).toBe('2 done, 3 done');
  });

  it('fails all calls after a failed sync, and syncs no more', async () => {
    const { group, told, syncs } = setUp();
    group.runCalls([call(1)]);
    group.runCalls([call(2)]);
    syncs[0]!.fail(new Error('EIO'));
    await group.settled();
    group.runCalls([call(3)]);
    await group.settled();
    const answered = told.filter((one) => /^\d/.test(one));
    expect(answered).toEqual(['1 SQLITE_IOERR_FSYNC', '2 SQLITE_IOERR_FSYNC', '3 SQLITE_IOERR_FSYNC']);
    expect(syncs).toHaveLength(1);
  });

  it('refuses all calls of a commit that fails, and goes on with the next', async () => {
    let full = true;
    const commit = () => {
      if (full) throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' });
    };
    const { group, told, syncs } = setUp({ commit });
    group.runCalls([call(1), call(2)]);
    full = false;
    group.runCalls([call(3)]);
    syncs[0]!.done();
    await nextTurn();
    syncs[1]!.done();
    await group.settled();
    expect(told.filter((one) => /^\d|ROLL/.test(one))).toEqual(['ROLLBACK', '1 SQLITE_FULL, 2 SQLITE_FULL', '3 done']);
  });

  it('refuses all calls so far of a transaction that is lost, and begins another', async () => {
    const run = (one: SqlCall) => {
      if (one.id === 2) throw Object.assign(new Error('lost'), { code: 'SQLITE_IOERR' });
      return { id: one.id, results: [] };
    };
    const { group, told, syncs } = setUp({ run });
    group.runCalls([call(1), call(2), call(3)]);
    syncs[0]!.done();
    await group.settled();
    expect(told).toEqual([
      'BEGIN IMMEDIATE',
      'call 1',
      'call 2',
      'ROLLBACK',
      'BEGIN IMMEDIATE',
      'call 3',
      'COMMIT',
      '1 SQLITE_IOERR, 2 SQLITE_IOERR, 3 done',
    ]);
  });

  it('tells why a transaction was lost that the database itself has given up, as it does when the disk is full', async () => {
    const run = (one: SqlCall): SqlAnswer => {
      if (one.id === 1) return { id: one.id, results: [] };
      database.inTransaction = false;
      throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' });
    };
    const { group, told, syncs, database } = setUp({ run });
    group.runCalls([call(1), call(2)]);
    syncs[0]!.done();
    await group.settled();
    expect(told).toEqual(['BEGIN IMMEDIATE', 'call 1', 'call 2', '1 SQLITE_FULL, 2 SQLITE_FULL']);
  });

  it('keeps the transaction when only one call in it is refused', async () => {
    const run = ({ id }: SqlCall) => (id === 1 ? failedAnswer(id, new Error('twice')) : { id, results: [] });
    const { group, told, syncs } = setUp({ run });
    group.runCalls([call(1), call(2)]);
    syncs[0]!.done();
    await group.settled();
    expect(told.at(-1)).toBe('1 SQLITE_ERROR, 2 done');
  });
});
