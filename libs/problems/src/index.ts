export * from './problem';
export * from './problems.table';
