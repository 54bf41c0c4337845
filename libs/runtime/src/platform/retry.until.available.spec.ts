import { LogUnavailable } from '@lettermill/log';
import type { Logger } from '../logging/logger';
import { retryUntilAvailable } from './retry.until.available';

describe('waiting for what a process needs', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('is logged at once, when the reason changes, and then now and then', async () => {
    const details: string[] = [];
    const logger = { warn: ({ detail }: { detail: string }) => void details.push(detail) } as unknown as Logger;
    let tries = 0;
    const opened = retryUntilAvailable('Kafka', logger, () => {
      tries += 1;
      if (tries > 40) return Promise.resolve('open');
      return Promise.reject(new LogUnavailable(tries < 5 ? 'no connection' : 'no leader'));
    });
    await jest.advanceTimersByTimeAsync(20_000);
    expect(details).toEqual(['no connection', 'no leader']);
    await jest.advanceTimersByTimeAsync(70_000);
    expect(await opened).toBe('open');
    expect(details.slice(2)).toEqual(['no leader', 'no leader']);
  });

  it('ends with a fault that does not pass', async () => {
    const logger = { warn: () => undefined } as unknown as Logger;
    await expect(retryUntilAvailable('Kafka', logger, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  });
});
