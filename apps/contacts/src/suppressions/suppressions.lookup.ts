import type { AddressRef, Suppressed, SuppressionsStore } from './suppressions.store';

const refKey = ({ accountId, address }: AddressRef) => `${accountId} ${address}`;

/** Finds out which of these addresses are suppressed, in one read; each address is asked for only once. */
export async function lookUpSuppressed(
  store: Pick<SuppressionsStore, 'find'>,
  refs: AddressRef[],
): Promise<(ref: AddressRef) => Suppressed | undefined> {
  const asked = new Map(refs.map((ref) => [refKey(ref), ref]));
  const found = new Map((await store.find([...asked.values()])).map((one) => [refKey(one), one]));
  return (ref) => found.get(refKey(ref));
}
