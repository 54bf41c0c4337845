export * from './batcher';
export * from './slots';
export * from './worker-file';
