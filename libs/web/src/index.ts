export * from './fetch.failure';
export * from './url';
export * from './whole.body';
