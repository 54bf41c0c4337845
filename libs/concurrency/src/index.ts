export * from './batcher';
export * from './wait.and.retry';
export * from './stall.tolerant.timer';
export * from './coalesce.calls';
export * from './every.hour';
export * from './slots';
export * from './weighted.semaphore';
export * from './worker.file';
