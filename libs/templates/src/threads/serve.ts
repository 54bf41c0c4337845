import { parentPort, workerData } from 'node:worker_threads';

/** What the owner of a thread passes to it at its start. */
export interface ThreadData {
  /** One 32-bit number: the current step of the thread. The owner reads it to see whether the thread makes progress. */
  step: SharedArrayBuffer;
}

export type ThreadAnswer<Result> = { result: Result } | { error: string };

/** The thread's side: handles one task after another. `reportStep` reports the current step of the task. */
export function serveThread<Task, Result>(
  handle: (task: Task, reportStep: (step: number) => void) => Result | Promise<Result>,
): void {
  const step = new Int32Array((workerData as ThreadData).step);
  const reportStep = (value: number) => void Atomics.store(step, 0, value);
  parentPort!.on('message', (task: Task) => {
    new Promise<Result>((resolve) => resolve(handle(task, reportStep))).then(
      (result) => parentPort!.postMessage({ result } satisfies ThreadAnswer<Result>),
      (error: unknown) => parentPort!.postMessage({ error: String(error) } satisfies ThreadAnswer<Result>),
    );
  });
}
