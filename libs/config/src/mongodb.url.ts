import type { Reader } from './config.fields';

/** The database that an address names: the server refuses other names, but only when something is to be stored. */
const MONGODB_DATABASE = /^mongodb(?:\+srv)?:\/\/(?:[^@]*@)?[^/]+\/([^?]*)/;
const DATABASE_NAME = /^[^/\\. "$%]{0,63}$/;

/** The driver checks the rest. The fault never repeats the URL: it may contain a password. */
export const mongodbUrl: Reader<string> = (input) => {
  if (!/^mongodb(\+srv)?:\/\/\S+$/.test(input)) return { fault: 'must be a mongodb:// or mongodb+srv:// address' };
  if (DATABASE_NAME.test(MONGODB_DATABASE.exec(input)?.[1] ?? '')) return { value: input };
  return { fault: 'must name a database of at most 63 characters, none of which is a blank or one of / \\ . " $ %' };
};
