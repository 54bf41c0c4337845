import type * as FastCheck from 'fast-check';

/**
 * For Jest: property tests try the same values in every run, so that the result depends on the change alone. With `PROPERTY_SECONDS`, each
 * property tries others for as long as that instead (`npm run test:properties`).
 */
jest.mock('fast-check', () => {
  const fc = jest.requireActual<typeof FastCheck>('fast-check');
  const seconds = Number(process.env.PROPERTY_SECONDS ?? 0);
  if (seconds === 0) {
    fc.configureGlobal({ seed: 1 });
    return fc;
  }
  const longer = { numRuns: 100_000_000, interruptAfterTimeLimit: seconds * 1_000 };
  const assert: typeof FastCheck.assert = (property, parameters) =>
    fc.assert(property as never, { ...parameters, ...longer }) as never;
  return { ...fc, assert, default: { ...fc.default, assert } };
});
