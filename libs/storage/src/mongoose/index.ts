export * from './mongo.bulk';
export * from './mongo.connection';
export { isConflict, isDuplicateKey, storeFaultOf, withStoreFaults } from './mongo.faults';
export * from './mongo.migrations';
export * from './mongo.model';
export type * from './mongo.types';
