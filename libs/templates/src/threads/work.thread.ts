import { Worker } from 'node:worker_threads';
import type { ThreadAnswer, ThreadData } from './serve';

const TICK_MS = 50;
const NOT_BEGUN = -1;
/** One that has waited for longer is not passed over by lighter ones for ever: it and they take turns. */
const PATIENCE_MS = 2_000;
/** What one mail leaves behind is small. */
const YOUNG_MB = 8;

/** The thread was ended, or ended itself, with a task in hand. `step` is how far it was; -1 where the task is not to blame. */
export class ThreadStopped extends Error {
  readonly code = 'thread_stopped';
  readonly retryable = true;
  constructor(
    readonly why: 'time' | 'memory' | 'exit',
    readonly step: number,
  ) {
    super(`a worker thread stopped (${why}) at step ${step}`);
  }
}

export interface WorkThreadOptions {
  file: string;
  /** A step that takes longer than this is given up, and the thread with it. */
  stepMs: number;
  /** As long may it take until a task begins: the thread has to start and to load its code. */
  startMs: number;
  heapMb: number;
  /** Ends the thread when it has had nothing to do for so long; the next task starts another. */
  idleMs?: number;
}

interface Waiting {
  weight: number;
  /** By a clock that only goes forward. */
  since: number;
  /** Never rejects. */
  perform(): Promise<void>;
}

/**
 * A thread for work that may hang or eat memory: one task at a time, of those that wait the lightest, of one weight in order; every
 * other one is the one that has waited for longest, once that was too long. It is started by the first task and, after it was stopped,
 * by the next one. It sees no environment variables and does not keep the process alive.
 */
export class WorkThread<Task, Result> {
  private readonly step = new Int32Array(new SharedArrayBuffer(4));
  private worker: Worker | undefined;
  private readonly waiting: Waiting[] = [];
  private busy = false;
  private oldestNext = true;
  private idle: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(private readonly options: WorkThreadOptions) {}

  /** Tasks in hand and waiting. */
  get pending(): number {
    return this.waiting.length + (this.busy ? 1 : 0);
  }

  /** Rejects with `ThreadStopped`, or with an error that the task threw in the thread. What is light waits for nothing heavy but what is in hand. */
  run(task: Task, weight = 0): Promise<Result> {
    clearTimeout(this.idle);
    return new Promise((resolve, reject) => {
      const perform = () => this.perform(task).then(resolve, reject);
      const behind = this.waiting.findIndex((other) => other.weight > weight);
      this.waiting.splice(behind < 0 ? this.waiting.length : behind, 0, { weight, since: performance.now(), perform });
      this.next();
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.idle);
    await this.worker?.terminate();
  }

  private next(): void {
    if (this.busy) return;
    const one = this.taken();
    if (!one) return this.rest();
    this.busy = true;
    void one.perform().then(() => {
      this.busy = false;
      this.next();
    });
  }

  private taken(): Waiting | undefined {
    const oldest = this.waiting.reduce((first, one, at, all) => (one.since < all[first]!.since ? at : first), 0);
    const late = performance.now() - (this.waiting[oldest]?.since ?? Infinity) > PATIENCE_MS;
    const byAge = late && this.oldestNext;
    this.oldestNext = !byAge;
    return byAge ? this.waiting.splice(oldest, 1)[0] : this.waiting.shift();
  }

  private rest(): void {
    this.worker?.unref();
    if (this.options.idleMs !== undefined) {
      this.idle = setTimeout(() => this.retire(), this.options.idleMs).unref();
    }
  }

  private retire(): void {
    void this.worker?.terminate();
    this.worker = undefined;
  }

  private perform(task: Task): Promise<Result> {
    if (this.closed) return Promise.reject(new ThreadStopped('exit', NOT_BEGUN));
    Atomics.store(this.step, 0, NOT_BEGUN);
    const worker = this.started();
    // There are no files or threads to be had for it, which passes.
    if (!worker) return Promise.reject(new ThreadStopped('exit', NOT_BEGUN));
    worker.ref();
    return new Promise<Result>((resolve, reject) => {
      let why: ThreadStopped['why'] = 'exit';
      const stopWatch = this.watch(() => {
        why = 'time';
        void worker.terminate();
      });
      const onMessage = (answer: ThreadAnswer<Result>) => {
        leave();
        if ('error' in answer) reject(new Error(answer.error));
        else resolve(answer.result);
      };
      const onError = (error: { code?: string }) => {
        if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') why = 'memory';
      };
      const onExit = () => {
        leave();
        // Who closes it ends the thread, whatever that was at.
        reject(new ThreadStopped(why, this.closed ? NOT_BEGUN : Atomics.load(this.step, 0)));
      };
      const leave = () => {
        stopWatch();
        worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      };
      worker.on('message', onMessage).on('error', onError).on('exit', onExit);
      worker.postMessage(task);
    });
  }

  private started(): Worker | undefined {
    try {
      return (this.worker ??= this.start());
    } catch {
      return undefined;
    }
  }

  private start(): Worker {
    const workerData: ThreadData = { step: this.step.buffer as SharedArrayBuffer };
    const resourceLimits = { maxOldGenerationSizeMb: this.options.heapMb, maxYoungGenerationSizeMb: YOUNG_MB };
    const worker = new Worker(this.options.file, { workerData, resourceLimits, env: {}, execArgv: [] });
    worker.on('error', () => this.forget(worker));
    worker.on('exit', () => this.forget(worker));
    return worker;
  }

  private forget(worker: Worker): void {
    if (this.worker === worker) this.worker = undefined;
  }

  /** Counts ticks without a step rather than time: a machine that was paused is not the task's fault. */
  private watch(onSilence: () => void): () => void {
    let seen = NOT_BEGUN;
    let silentMs = 0;
    const timer = setInterval(() => {
      const step = Atomics.load(this.step, 0);
      silentMs = step === seen ? silentMs + TICK_MS : 0;
      seen = step;
      if (silentMs >= (step === NOT_BEGUN ? this.options.startMs : this.options.stepMs)) {
        clearInterval(timer);
        onSilence();
      }
    }, TICK_MS);
    return () => clearInterval(timer);
  }
}
