import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workerFile } from '@lettermill/concurrency';
import type { CompileTask } from '../compile/compile.worker';
import type { Compiled } from '../compile/mjml.compile';
import { WorkThread, type WorkThreadOptions } from './work.thread';

const FILE = workerFile(join(__dirname, '..', 'compile'), 'compile.worker');
const GOOD: CompileTask = { liquid: '{{ a }}', kind: 'html' };

describe('a work thread', () => {
  let thread: WorkThread<CompileTask, Compiled>;
  const open = (options: Partial<WorkThreadOptions> = {}) => {
    thread = new WorkThread({ file: FILE, stepMs: 5000, startMs: 30_000, heapMb: 64, ...options });
    return thread;
  };
  afterEach(() => thread.close());

  it('that can not start says so, and may be asked again', async () => {
    open({ file: join(__dirname, 'no.such.file.js') });
    await expect(thread.run(GOOD)).rejects.toMatchObject({ why: 'exit', step: -1, retryable: true });
    await expect(thread.run(GOOD)).rejects.toMatchObject({ step: -1 });
    await thread.close();
    // Nothing is made of it at all.
    open({ file: 'not/absolute.js' });
    await expect(thread.run(GOOD)).rejects.toMatchObject({ why: 'exit', step: -1, retryable: true });
  });

  it('that does not begin in time is ended', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'lettermill-thread-'));
    const file = join(directory, 'never.begins.js');
    writeFileSync(file, 'setInterval(() => undefined, 60_000);');
    open({ file, startMs: 0 });
    await expect(thread.run(GOOD)).rejects.toMatchObject({ why: 'time', step: -1 });
    rmSync(directory, { recursive: true });
  });

  it('that is closed with a task in hand does not blame the task for it', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'lettermill-thread-'));
    const file = join(directory, 'never.ends.js');
    const begin = 'Atomics.store(new Int32Array(workerData.step), 0, 7)';
    const worker = `const { parentPort, workerData } = require('node:worker_threads');`;
    writeFileSync(file, `${worker} parentPort.on('message', () => ${begin});`);
    open({ file });
    const refused = expect(thread.run(GOOD)).rejects.toMatchObject({ why: 'exit', step: -1, retryable: true });
    const { step } = thread as unknown as { step: Int32Array };
    while (Atomics.load(step, 0) !== 7) await new Promise(setImmediate);
    await thread.close();
    await refused;
    rmSync(directory, { recursive: true });
  });

  it('hands on what a task throws, and goes on', async () => {
    open();
    await expect(thread.run(undefined as never)).rejects.toThrow('TypeError');
    expect(await thread.run(GOOD)).toEqual({ faults: [] });
  });

  it('works on tasks in order, one at a time', async () => {
    open();
    const order: number[] = [];
    const tasks = [1, 2, 3].map((n) => thread.run(GOOD).then(() => order.push(n)));
    expect(thread.pending).toBe(3);
    await Promise.all(tasks);
    expect([order, thread.pending]).toEqual([[1, 2, 3], 0]);
  });

  it('passes nobody over for ever: who has waited for too long and the lightest take turns', async () => {
    open();
    let now = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
    const order: number[] = [];
    const ask = (weight: number) => thread.run(GOOD, weight).then(() => order.push(weight));
    const tasks = [ask(1), ask(90)];
    now = 1;
    tasks.push(ask(80));
    now = 2_002;
    tasks.push(...[2, 3, 4, 5].map(ask));
    await Promise.all(tasks);
    clock.mockRestore();
    expect(order).toEqual([1, 90, 2, 80, 3, 4, 5]);
  });

  it('works on the lightest of those that wait, of one weight in their order', async () => {
    open();
    const order: string[] = [];
    const tasks = [5, 9, 1, 9, 1, 3].map((weight, at) =>
      thread.run(GOOD, weight).then(() => order.push(`${at} of ${weight}`)),
    );
    await Promise.all(tasks);
    expect(order).toEqual(['0 of 5', '2 of 1', '4 of 1', '5 of 3', '1 of 9', '3 of 9']);
  });

  it('ends when it is idle, and starts again when it is asked', async () => {
    open({ idleMs: 1 });
    const retired = new Promise<void>((resolve) => {
      const holder = thread as unknown as { retire(): void };
      const retire = holder.retire.bind(thread);
      holder.retire = () => {
        retire();
        resolve();
      };
    });
    expect(await thread.run(GOOD)).toEqual({ faults: [] });
    await retired;
    expect(await thread.run(GOOD)).toEqual({ faults: [] });
  });

  it('refuses what waits when it is closed', async () => {
    open();
    const tasks = [thread.run(GOOD), thread.run(GOOD)];
    const settled = Promise.allSettled(tasks);
    await thread.close();
    expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
