import { Type, type TSchema } from '@sinclair/typebox';

/** Every object of an event is closed: an unknown field is a poison event, not a silent loss. */
export const closed = { additionalProperties: false } as const;

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
