import { sharedProbe } from './probes';

const WAITS_MS = 30;

describe('the check of a dependency', () => {
  it('runs once for concurrent callers, and again for later ones', async () => {
    let asked = 0;
    let answer = (): void => undefined;
    const probe = sharedProbe(() => {
      asked += 1;
      return new Promise<void>((resolve) => (answer = resolve));
    }, 10_000);
    const first = [1, 2, 3].map(() => probe());
    answer();
    await Promise.all(first);
    expect(asked).toBe(1);
    const later = probe();
    answer();
    await later;
    expect(asked).toBe(2);
  });

  it('rejects all callers with its error, and can run again', async () => {
    const faults = [new Error('away')];
    const probe = sharedProbe(() => {
      const fault = faults.pop();
      return fault ? Promise.reject(fault) : Promise.resolve();
    }, 10_000);
    const answers = await Promise.allSettled([probe(), probe()]);
    expect(answers).toMatchObject([{ reason: { message: 'away' } }, { reason: { message: 'away' } }]);
    await probe();
  });

  it('times out without an answer, and can run again', async () => {
    let asked = 0;
    const probe = sharedProbe(() => {
      asked += 1;
      return asked === 1 ? new Promise<void>(() => undefined) : Promise.resolve();
    }, WAITS_MS);
    await expect(probe()).rejects.toThrow(`no answer within ${WAITS_MS} ms`);
    await probe();
  });
});
