import type { SqlStep } from './sql.protocol';

/** Of those whose text varies. */
const MAX_VARIED_STATEMENTS = 100;

/**
 * The statements of a connection: those of the stores, some two hundred, and the first of those whose text varies. None is
 * dropped again. The driver frees a statement when JavaScript collects it, and JavaScript, which sees only a small part of
 * its memory, looks for old garbage late: before that, dropped statements came to 200 MiB. One that was used only once is
 * found soon.
 */
export class PreparedStatements<Statement> {
  private readonly kept = new Map<string, Statement>();
  private variedCount = 0;

  constructor(private readonly prepare: (sql: string) => Statement) {}

  of({ sql, varied = false }: Pick<SqlStep, 'sql' | 'varied'>): Statement {
    const known = this.kept.get(sql);
    if (known) return known;
    const statement = this.prepare(sql);
    if (!varied || this.variedCount < MAX_VARIED_STATEMENTS) {
      this.kept.set(sql, statement);
      if (varied) this.variedCount += 1;
    }
    return statement;
  }
}
