export * from './answers.table';
export * from './faults.table';
export * from './problem';
export * from './reasons.table';
