import { PreparedStatements } from './prepared.statements';

describe('prepared statements', () => {
  let prepared: string[];
  let statements: PreparedStatements<object>;

  beforeEach(() => {
    prepared = [];
    statements = new PreparedStatements((sql) => {
      prepared.push(sql);
      return {};
    });
  });

  const timesPrepared = (sql: string) => prepared.filter((one) => one === sql).length;

  it.each([false, true])('are kept (varied: %s)', (varied) => {
    expect(statements.of({ sql: 'SELECT 1', varied })).toBe(statements.of({ sql: 'SELECT 1', varied }));
    expect(timesPrepared('SELECT 1')).toBe(1);
  });

  it('are not kept without bound if their text varies, and displace none', () => {
    statements.of({ sql: 'SELECT 1' });
    for (let i = 0; i <= 1_000; i += 1) statements.of({ sql: `SELECT ${i} AS search`, varied: true });
    for (const sql of ['SELECT 0 AS search', 'SELECT 1000 AS search']) statements.of({ sql, varied: true });
    statements.of({ sql: 'SELECT 1' });
    expect(timesPrepared('SELECT 0 AS search')).toBe(1);
    expect(timesPrepared('SELECT 1000 AS search')).toBe(2);
    expect(timesPrepared('SELECT 1')).toBe(1);
  });
});
