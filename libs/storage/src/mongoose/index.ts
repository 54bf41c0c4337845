export * from './mongo.bulk';
export * from './mongo.connection';
export { isDuplicateKey, storeFaultOf, withStoreFaults } from './mongo.faults';
export * from './mongo.migrations';
export * from './mongo.model';
export type { Connection as MongoConnection, mongo as MongoDriver } from 'mongoose';
