export * from './batcher';
export * from './patience';
export * from './slots';
export * from './worker-file';
