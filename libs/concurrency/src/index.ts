export * from './batcher';
export * from './patience';
export * from './patient.timer';
export * from './rounds';
export * from './slots';
export * from './weighted.semaphore';
export * from './worker.file';
