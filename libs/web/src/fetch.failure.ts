/**
 * Why a call of `fetch` got no answer, such as `ECONNREFUSED`, or what is wrong with a certificate. The error itself says no more than that
 * it failed.
 */
export function fetchFailure(error: unknown): string {
  const { name, cause } = error as Error & { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? name;
}
