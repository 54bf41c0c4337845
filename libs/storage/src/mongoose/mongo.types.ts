/** The driver's types that adapters use. */
export type { Connection as MongoConnection, mongo as MongoDriver } from 'mongoose';
