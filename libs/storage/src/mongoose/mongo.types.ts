/** What adapters name of the driver. */
export type { Connection as MongoConnection, mongo as MongoDriver } from 'mongoose';
