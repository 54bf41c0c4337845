import type { AddressRef, Suppressed, SuppressionsStore } from './suppressions.store';

const nameOf = ({ accountId, address }: AddressRef) => `${accountId} ${address}`;

/** Which of these addresses are suppressed: one read for all, each asked for once. */
export async function lookUp(
  store: Pick<SuppressionsStore, 'find'>,
  refs: AddressRef[],
): Promise<(ref: AddressRef) => Suppressed | undefined> {
  const asked = new Map(refs.map((ref) => [nameOf(ref), ref]));
  const found = new Map((await store.find([...asked.values()])).map((one) => [nameOf(one), one]));
  return (ref) => found.get(nameOf(ref));
}
