import type { Config } from '@lettermill/config';
import { createLogger } from '../logging/logger';
import { openCluster } from '../platform/cluster.platform';
import type { OpenPlatform } from '../platform/open.platform';
import { runProcess, type Runnable } from './process';
import { runService } from './run.service';
import { Service } from './service';

jest.mock('./process', () => ({ runProcess: jest.fn() }));
jest.mock('../platform/cluster.platform', () => ({ openCluster: jest.fn() }));

const turn = () => new Promise(setImmediate);

/** A service whose platform is opened, and which is created, when the test says so. */
function run(drainSeconds = 0, start?: () => Promise<void>) {
  const told: string[] = [];
  const tell = (what: string) => async () => {
    await turn();
    told.push(what);
  };
  const platform = { platform: {}, close: tell('platform closed') } as unknown as OpenPlatform;
  const service = {
    start: start ?? tell('started'),
    drain: () => void told.push('draining'),
    close: () => turn().then(tell('closed')),
  } as unknown as Service;
  let [open, create, fail] = [() => {}, () => {}, () => {}];
  jest.mocked(openCluster).mockReturnValue(new Promise((resolve) => (open = () => resolve(platform))));
  const created = new Promise<Service>((resolve, reject) => {
    create = () => resolve(service);
    fail = () => reject(new Error('no'));
  });
  jest.spyOn(Service, 'create').mockReturnValue(created);
  runService({ name: 'renderer', module: class {} });
  const [, make] = jest.mocked(runProcess).mock.calls.at(-1)!;
  const runnable: Runnable = make({ drainSeconds } as Config, createLogger('silent'), () => undefined);
  return { runnable, told, open, create, fail };
}

describe('a service that is told to stop', () => {
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  it('drains, and closes its platform last', async () => {
    const { runnable, told, open, create } = run();
    open();
    create();
    await runnable.start();
    await runnable.stop();
    expect(told).toEqual(['started', 'draining', 'closed', 'platform closed']);
  });

  it('goes on for DRAIN_SECONDS, in which load balancers notice that it leaves', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    const { runnable, told, open, create } = run(60);
    open();
    create();
    await runnable.start();
    const stopped = runnable.stop();
    await turn();
    await jest.advanceTimersByTimeAsync(59_000);
    await turn();
    expect(told).toEqual(['started', 'draining']);
    await jest.advanceTimersByTimeAsync(1_000);
    await stopped;
    expect(told).toEqual(['started', 'draining', 'closed', 'platform closed']);
  });

  it('does not wait for load balancers, which send it nothing, if it could not start', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    const { runnable, told, open, create } = run(60, () => Promise.reject(new Error('the port is taken')));
    open();
    create();
    await expect(runnable.start()).rejects.toThrow('the port is taken');
    await runnable.stop();
    expect(told).toEqual(['draining', 'closed', 'platform closed']);
  });

  it('while it is being created does not start, and keeps its platform until then', async () => {
    const { runnable, told, open, create } = run();
    const started = runnable.start();
    open();
    await turn();
    const stopped = runnable.stop();
    await turn();
    expect(told).toEqual([]);
    create();
    await Promise.all([started, stopped]);
    expect(told).toEqual(['draining', 'closed', 'platform closed']);
  });

  it('closes its platform also if it cannot be created', async () => {
    const { runnable, told, open, fail } = run();
    const started = expect(runnable.start()).rejects.toThrow('no');
    open();
    await turn();
    const stopped = runnable.stop();
    fail();
    await Promise.all([started, stopped]);
    expect(told).toEqual(['platform closed']);
  });

  it('does not wait for a platform that does not open', async () => {
    const { runnable, told } = run();
    void runnable.start();
    await runnable.stop();
    expect(told).toEqual([]);
  });
});
