import { withTimeout } from '@lettermill/concurrency';
import { sharedProbe } from './probes';

const WAITS_MS = 30;

describe('the check of a dependency', () => {
  it('runs once for concurrent callers, and again for later ones', async () => {
    let asked = 0;
    let answer = (): void => undefined;
    const probe = sharedProbe(() => {
      asked += 1;
      return new Promise<void>((resolve) => (answer = resolve));
    });
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
    });
    const answers = await Promise.allSettled([probe(), probe()]);
    expect(answers).toMatchObject([{ reason: { message: 'away' } }, { reason: { message: 'away' } }]);
    await probe();
  });

  it('is not run again while it hangs, however often its callers give up', async () => {
    let asked = 0;
    let answer = (): void => undefined;
    const probe = sharedProbe(() => {
      asked += 1;
      return new Promise<void>((resolve) => (answer = resolve));
    });
    for (let caller = 0; caller < 3; caller += 1)
      await expect(withTimeout(WAITS_MS, probe())).rejects.toThrow(`no answer within ${WAITS_MS} ms`);
    const last = probe();
    expect(asked).toBe(1);
    answer();
    await last;
    void probe();
    expect(asked).toBe(2);
  });
});
