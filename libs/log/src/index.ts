export * from './log.port';
export * from './log.lines';
export * from './transport/event.batch';
export * from './transport/event.publisher';
export { lockDirectory, type DirectoryLock } from './embedded/directory.lock';
export * from './embedded/embedded.faults';
export { EmbeddedLog } from './embedded/embedded.log';
export type { EmbeddedLogOptions, Retention } from './embedded/embedded.options';
