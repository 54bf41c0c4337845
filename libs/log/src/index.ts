export * from './log.port';
export * from './transport/event.batch';
export * from './transport/event.publisher';
