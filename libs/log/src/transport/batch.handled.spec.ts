import { encodeEvent } from '@lettermill/events';
import { SILENT_LOGGER } from '../log.lines';
import { LogFailed, type EventLog, type LogRecord } from '../log.port';
import { failedEvent } from '../testing/outcome.app';
import { BatchRunner, type ConsumerObserver, type Handler } from './batch.runner';
import { REDRIVE_GROUP_HEADER } from './dead.letter';

const unavailable = () => Object.assign(new Error('away'), { code: 'store_unavailable', retryable: true });

function recordOf(step: string, position: number, headers: Record<string, string> = {}): LogRecord {
  const { topic, key, value, headers: own } = encodeEvent(failedEvent(step));
  return {
    topic,
    key,
    value: Buffer.from(value as string),
    headers: { ...own, ...headers },
    partition: 0,
    position,
    appendedAt: 0,
  };
}

/** A batch of the group `g`; its dead letters are taken by a log that keeps nothing. */
class Run {
  stopping = false;
  readonly letters = jest.fn(() => Promise.resolve());
  readonly heartbeat = jest.fn(() => Promise.resolve());
  readonly observer = { onHandled: jest.fn(), onDeadLetter: jest.fn(), onRetry: jest.fn() };

  of(records: LogRecord[], handler: Handler, observer: ConsumerObserver = this.observer): Promise<void> {
    const log = { append: this.letters } as unknown as EventLog;
    const { heartbeat } = this;
    const isStopping = () => this.stopping;
    const batch = {
      topic: 't',
      records,
      heartbeat,
      get stopping() {
        return isStopping();
      },
    };
    return new BatchRunner({ log, group: 'g', lines: SILENT_LOGGER, observer }, batch, handler).run();
  }
}

const stepsOf = ({ events }: Parameters<Handler>[0]) => events.map(({ id }) => id.slice('id/'.length));

describe('a batch', () => {
  it('excludes records that were redriven for another group', async () => {
    const records = [
      recordOf('theirs', 0, { [REDRIVE_GROUP_HEADER]: 'other' }),
      recordOf('ours', 1, { [REDRIVE_GROUP_HEADER]: 'g' }),
      recordOf('everybody', 2),
    ];
    const seen: string[] = [];
    await new Run().of(records, (batch) => Promise.resolve(void seen.push(...stepsOf(batch))));
    expect(seen).toEqual(['ours', 'everybody']);
    const handler = jest.fn(() => Promise.resolve());
    await new Run().of(records.slice(0, 1), handler);
    expect(handler).not.toHaveBeenCalled();
  });

  it('sends heartbeats while it waits for an unavailable store', async () => {
    const run = new Run();
    const handler = jest.fn(() => Promise.resolve()).mockRejectedValueOnce(unavailable());
    await run.of([recordOf('a', 0)], handler);
    expect(handler).toHaveBeenCalledTimes(2);
    expect(run.heartbeat).toHaveBeenCalledTimes(1);
    expect(run.observer.onRetry.mock.calls).toEqual([['t', 'store_unavailable']]);
  });

  it('is retried after twice as long each time, 5 s at most, with a heartbeat each second', async () => {
    jest.useFakeTimers();
    const run = new Run();
    const calls: number[] = [];
    const handler = () => {
      calls.push(Date.now());
      return calls.length < 10 ? Promise.reject(unavailable()) : Promise.resolve();
    };
    const running = run.of([recordOf('a', 0)], handler);
    await jest.advanceTimersByTimeAsync(60_000);
    await running;
    jest.useRealTimers();
    const waits = calls.slice(1).map((at, n) => at - calls[n]!);
    expect(waits).toEqual([100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000]);
    expect(run.heartbeat).toHaveBeenCalledTimes(4 + 2 + 4 + 3 * 5);
  });

  it('is not retried once the service is stopping', async () => {
    const run = new Run();
    const handler = jest.fn(() => {
      run.heartbeat.mockImplementation(() => Promise.resolve(void (run.stopping = true)));
      return Promise.reject(unavailable());
    });
    await expect(run.of([recordOf('a', 0)], handler)).rejects.toMatchObject({ code: 'log_unavailable' });
    expect(handler).toHaveBeenCalledTimes(1);
  });

  it('is given back within a second when the service is to stop during a pause', async () => {
    jest.useFakeTimers();
    const run = new Run();
    const ended = jest.fn();
    run.of([recordOf('a', 0)], () => Promise.reject(unavailable())).catch(ended);
    await jest.advanceTimersByTimeAsync(7_000);
    run.stopping = true;
    await jest.advanceTimersByTimeAsync(1_000);
    jest.useRealTimers();
    expect(ended).toHaveBeenCalledTimes(1);
  });

  it('makes no dead letter when its group was left meanwhile or the log is lost', async () => {
    const run = new Run();
    run.heartbeat.mockRejectedValue(new Error('the driver says'));
    run.stopping = true;
    const beating: Handler = (batch) => batch.heartbeat();
    await expect(run.of([recordOf('a', 0)], beating)).rejects.toMatchObject({ code: 'log_unavailable' });
    run.stopping = false;
    const lost = new LogFailed('lost');
    await expect(run.of([recordOf('a', 0)], () => Promise.reject(lost))).rejects.toBe(lost);
    expect(run.letters).not.toHaveBeenCalled();
  });

  it('reports to its observer which events could not be handled, and counts the others', async () => {
    const run = new Run();
    const ended = jest.fn();
    const records = [recordOf('a', 0), recordOf('poison', 1), recordOf('b', 2)];
    const handler: Handler = (batch) =>
      stepsOf(batch).includes('poison') ? Promise.reject(new Error('no')) : Promise.resolve();
    await run.of(records, handler, { ...run.observer, onBatch: () => ended });
    expect(ended.mock.calls).toEqual([[new Map([[1, 'handler_failed']])]]);
    expect(run.observer.onHandled.mock.calls).toEqual([['t', 3, expect.any(Number), new Map([['MessageFailed', 2]])]]);
    expect(run.letters).toHaveBeenCalledTimes(1);
  });

  it('reports to its observer that none of its events was handled if it is given back', async () => {
    const run = new Run();
    run.stopping = true;
    const ended = jest.fn();
    const observer = { ...run.observer, onBatch: () => ended };
    const running = run.of([recordOf('a', 0), recordOf('b', 1)], () => Promise.reject(unavailable()), observer);
    await expect(running).rejects.toMatchObject({ code: 'store_unavailable' });
    const code = 'store_unavailable';
    expect(ended.mock.calls).toEqual([[new Map([0, 1].map((at) => [at, code]))]]);
    expect(run.observer.onHandled).not.toHaveBeenCalled();
  });
});
