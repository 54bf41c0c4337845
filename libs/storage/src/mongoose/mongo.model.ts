import type { Connection, Model, SchemaDefinition } from 'mongoose';

export type StoreModel<T> = Model<T>;

/**
 * The model of a collection, created once per connection. Indexes are created by migrations; calls are not buffered
 * while the connection is unavailable; fields that the schema does not name are refused, in documents and in filters
 * alike.
 */
export function modelOf<T extends { _id: unknown }>(
  connection: Connection,
  collection: string,
  definition: Record<keyof T & string, unknown>,
): StoreModel<T> {
  const known = connection.models[collection] as StoreModel<T> | undefined;
  if (known) return known;
  const { Schema } = connection.base;
  const schema = new Schema(definition as unknown as SchemaDefinition, {
    collection,
    id: false,
    versionKey: false,
    strict: 'throw',
    strictQuery: 'throw',
    autoIndex: false,
    autoCreate: false,
    bufferCommands: false,
    minimize: false,
  });
  return connection.model(collection, schema) as unknown as StoreModel<T>;
}

/** The `_id` of a document that several values identify together, the account first. Different lists of values have different ids. */
export function idOf(accountId: string, ...parts: (string | number)[]): string {
  return JSON.stringify([accountId, ...parts]);
}
