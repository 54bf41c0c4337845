export * from './faults';
export { restrictToOwner } from './libsql/owner.only';
export * from './libsql/sql.database';
export type { SqlResult, SqlRow, SqlStep, SqlValue } from './libsql/sql.protocol';
export * from './mongoose';
export * from './searches';
export * from './storage';
export * from './stores.of';
