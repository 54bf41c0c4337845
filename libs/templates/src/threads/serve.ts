import { parentPort, workerData } from 'node:worker_threads';

/** What the owner of a thread passes to it. */
export interface ThreadData {
  /** One 32-bit number: the step that the thread is at, read by the owner to see whether it still moves. */
  step: SharedArrayBuffer;
}

export type ThreadAnswer<Result> = { result: Result } | { error: string };

/** The thread's side: answers each task in turn. `at` tells which step of the task is in hand. */
export function serveThread<Task, Result>(
  handle: (task: Task, at: (step: number) => void) => Result | Promise<Result>,
): void {
  const step = new Int32Array((workerData as ThreadData).step);
  const at = (value: number) => void Atomics.store(step, 0, value);
  parentPort!.on('message', (task: Task) => {
    new Promise<Result>((resolve) => resolve(handle(task, at))).then(
      (result) => parentPort!.postMessage({ result } satisfies ThreadAnswer<Result>),
      (error: unknown) => parentPort!.postMessage({ error: String(error) } satisfies ThreadAnswer<Result>),
    );
  });
}
