export * from './batcher';
export * from './worker-file';
