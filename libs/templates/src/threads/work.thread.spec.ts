import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { workerFile } from '@lettermill/concurrency';
import type { CompileTask } from '../compile/compile.worker';
import type { Compiled } from '../compile/mjml.compile';
import { WorkThread, type WorkThreadOptions } from './work.thread';

const WORKER_FILE = workerFile(join(__dirname, '..', 'compile'), 'compile.worker');
const BUILT = join(__dirname, '../../../../dist/libs/templates/src/threads/work.thread.js');
const VALID_TASK: CompileTask = { liquid: '{{ a }}', kind: 'html' };

describe('a work thread', () => {
  let thread: WorkThread<CompileTask, Compiled>;
  const open = (options: Partial<WorkThreadOptions> = {}) => {
    thread = new WorkThread({ file: WORKER_FILE, stepMs: 5000, startMs: 30_000, heapMb: 64, ...options });
    return thread;
  };
  let directory: string;
  beforeAll(() => (directory = mkdtempSync(join(tmpdir(), 'lettermill-thread-'))));
  afterAll(() => rmSync(directory, { recursive: true }));
  afterEach(() => thread.close());

  /** The file of a thread that runs this code. */
  const script = (does: string) => {
    const file = join(directory, 'thread.js');
    writeFileSync(file, `const { parentPort, workerData } = require('node:worker_threads');\n${does}`);
    return file;
  };
  const withEachTask = (does: string) => script(`parentPort.on('message', () => { ${does} });`);
  const begins = (step: number) => `Atomics.store(new Int32Array(workerData.step), 0, ${step});`;
  const inside = () => thread as unknown as { step: Int32Array; worker: Worker; retire(): void };
  const hasBegun = async (step: number) => {
    while (Atomics.load(inside().step, 0) !== step) await new Promise(setImmediate);
  };

  it('that cannot start rejects tasks as retryable', async () => {
    open({ file: join(__dirname, 'no.such.file.js') });
    await expect(thread.run(VALID_TASK)).rejects.toMatchObject({ why: 'exit', step: -1, retryable: true });
    await expect(thread.run(VALID_TASK)).rejects.toMatchObject({ step: -1 });
    await thread.close();
    // The worker cannot even be created.
    open({ file: 'not/absolute.js' });
    await expect(thread.run(VALID_TASK)).rejects.toMatchObject({ why: 'exit', step: -1, retryable: true });
  });

  it('that does not begin in time is ended', async () => {
    open({ file: script('setInterval(() => undefined, 60_000);'), startMs: 0, stepMs: 600_000 });
    await expect(thread.run(VALID_TASK)).rejects.toMatchObject({ why: 'time', step: -1 });
  });

  it('that is closed during a task does not blame the task', async () => {
    open({ file: withEachTask(begins(7)) });
    const refused = expect(thread.run(VALID_TASK)).rejects.toMatchObject({ why: 'exit', step: -1, retryable: true });
    await hasBegun(7);
    await thread.close();
    await refused;
  });

  it('gets the time of a step anew for each step of a task', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'] });
    try {
      open({ file: withEachTask(begins(0)) });
      const stopped = expect(thread.run(VALID_TASK)).rejects.toMatchObject({ why: 'time', step: 2 });
      await hasBegun(0);
      const ended = jest.spyOn(inside().worker, 'terminate');
      for (const step of [1, 2]) {
        jest.advanceTimersByTime(4_900);
        Atomics.store(inside().step, 0, step);
      }
      jest.advanceTimersByTime(4_900);
      expect(ended).not.toHaveBeenCalled();
      jest.advanceTimersByTime(200);
      await stopped;
    } finally {
      jest.useRealTimers();
    }
  });

  it('keeps no timer or listener of a finished task, which would end it later', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((what) => what === 'Timeout').length;
    open();
    await thread.run(VALID_TASK);
    const { worker } = inside();
    const left = () => [timers(), ...['message', 'error', 'exit'].map((name) => worker.listenerCount(name))];
    const before = left();
    for (let n = 0; n < 3; n += 1) await thread.run(VALID_TASK);
    expect(left()).toEqual(before);
  });

  it('does not keep the process alive while it is idle', () => {
    const answering = withEachTask('parentPort.postMessage({ result: workerData.step.byteLength })');
    const options = JSON.stringify({ file: answering, stepMs: 60_000, startMs: 60_000, heapMb: 64 });
    const program = `const thread = new (require(${JSON.stringify(BUILT)}).WorkThread)(${options});
      thread.run(1).then(() => thread.run(2)).then((result) => process.stdout.write(String(result)))`;
    const { stdout, status } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8', timeout: 60_000 });
    expect([stdout, status]).toEqual(['4', 0]);
  });

  it('that fails while it is idle fails nothing else, and is replaced', async () => {
    const failsLater = `parentPort.postMessage({ result: 1 }); setImmediate(() => { throw new Error('late'); });`;
    open({ file: withEachTask(failsLater) });
    const answer = thread.run(VALID_TASK);
    const { worker } = inside();
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    expect(await answer).toBe(1);
    await ended;
    expect(await thread.run(VALID_TASK)).toBe(1);
  });

  it('sees no environment', async () => {
    open({ file: withEachTask('parentPort.postMessage({ result: Object.keys(process.env) })') });
    expect(await thread.run(VALID_TASK)).toEqual([]);
  });

  it('rejects with what a task throws, and goes on', async () => {
    open();
    await expect(thread.run(undefined as never)).rejects.toThrow('TypeError');
    expect(await thread.run(VALID_TASK)).toEqual({ faults: [] });
  });

  it('works on tasks in order, one at a time', async () => {
    open();
    const order: number[] = [];
    const tasks = [1, 2, 3].map((n) => thread.run(VALID_TASK).then(() => order.push(n)));
    expect(thread.pending).toBe(3);
    await Promise.all(tasks);
    expect([order, thread.pending]).toEqual([[1, 2, 3], 0]);
  });

  it('lets no task wait forever: overdue ones and the lightest take turns', async () => {
    open();
    let now = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
    const order: number[] = [];
    const ask = (weight: number) => thread.run(VALID_TASK, weight).then(() => order.push(weight));
    const tasks = [ask(1), ask(90)];
    now = 1;
    tasks.push(ask(80));
    now = 2_002;
    tasks.push(...[2, 3, 4, 5].map(ask));
    await Promise.all(tasks);
    clock.mockRestore();
    expect(order).toEqual([1, 90, 2, 80, 3, 4, 5]);
  });

  it('runs the lightest waiting task first, and equal ones in order', async () => {
    open();
    const order: string[] = [];
    const tasks = [5, 9, 1, 9, 1, 3].map((weight, at) =>
      thread.run(VALID_TASK, weight).then(() => order.push(`${at} of ${weight}`)),
    );
    await Promise.all(tasks);
    expect(order).toEqual(['0 of 5', '2 of 1', '4 of 1', '5 of 3', '1 of 9', '3 of 9']);
  });

  it('ends when it is idle, and starts again when it is asked', async () => {
    open({ idleMs: 1 });
    const retired = new Promise<void>((resolve) => {
      const holder = inside();
      const retire = holder.retire.bind(thread);
      holder.retire = () => {
        retire();
        resolve();
      };
    });
    expect(await thread.run(VALID_TASK)).toEqual({ faults: [] });
    await retired;
    expect(await thread.run(VALID_TASK)).toEqual({ faults: [] });
  });

  it('keeps its new worker when the previous one ends late', async () => {
    open();
    await thread.run(VALID_TASK);
    await new Promise(setImmediate);
    const ended = once(inside().worker, 'exit');
    inside().retire();
    const again = thread.run(VALID_TASK);
    const { worker } = inside();
    await ended;
    expect(await again).toEqual({ faults: [] });
    expect(inside().worker === worker).toBe(true);
  });

  it('rejects waiting tasks when it is closed', async () => {
    open();
    const tasks = [thread.run(VALID_TASK), thread.run(VALID_TASK)];
    const settled = Promise.allSettled(tasks);
    await thread.close();
    expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
