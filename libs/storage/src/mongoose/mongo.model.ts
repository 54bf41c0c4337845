import type { Connection, Model, SchemaDefinition } from 'mongoose';

export type StoreModel<T> = Model<T>;

/**
 * The model of a collection, made once per connection. Indexes come by migration; nothing is buffered for a connection that
 * is away; what the schema does not name is refused, in documents and in filters alike.
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

/** The `_id` of what several values name together, the account first. No two lists of values make the same. */
export function idOf(accountId: string, ...parts: (string | number)[]): string {
  return JSON.stringify([accountId, ...parts]);
}
