export * from './batcher';
export * from './patience';
export * from './room';
export * from './slots';
export * from './worker-file';
