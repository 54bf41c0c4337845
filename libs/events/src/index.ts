export * from './address';
export * from './catalog';
export * from './codec';
export * from './details';
export * from './event';
export * from './ids';
export * from './inline';
export * from './parts';
