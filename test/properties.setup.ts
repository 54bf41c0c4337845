import type * as FastCheck from 'fast-check';

/**
 * For Jest: property tests try the same values in every run, so that the result depends on the change alone. With `PROPERTY_SECONDS`, each
 * property is tried with others for that long (`npm run test:properties`).
 */
jest.mock('fast-check', () => {
  const fc = jest.requireActual<typeof FastCheck>('fast-check');
  const seconds = Number(process.env.PROPERTY_SECONDS ?? 0);
  if (seconds === 0) {
    fc.configureGlobal({ seed: 1 });
    return fc;
  }
  // Again and again, not with a time limit: that would leave what an asynchronous property has begun to the next test.
  const assert = (property: FastCheck.IRawProperty<unknown>, parameters?: FastCheck.Parameters<unknown>) => {
    const end = performance.now() + seconds * 1_000;
    const isOver = () => performance.now() >= end;
    const tryAsync = async () => {
      do await fc.assert(property, parameters);
      while (!isOver());
    };
    if (property.isAsync()) return tryAsync();
    do void fc.assert(property, parameters);
    while (!isOver());
  };
  return { ...fc, assert, default: { ...fc.default, assert } };
});
