export * from './linger';
export * from './problem';
export * from './problem.filter';
export * from './problems.table';
