import { Worker } from 'node:worker_threads';
import type { ThreadAnswer, ThreadData } from './serve';
import { WaitingTasks, type WaitingLimits } from './waiting.tasks';

const WATCH_INTERVAL_MS = 50;
const NOT_BEGUN = -1;
/** MiB of the young generation. It can be small, as the garbage of one mail is. */
const YOUNG_GENERATION_MB = 8;

/** The thread ended during a task. `step` is how far the task was; -1 if the task is not to blame. */
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
  /** If a step takes longer than this, the thread is stopped. */
  stepMs: number;
  /** Time limit until a task begins: the thread may have to start and to load its code. */
  startMs: number;
  heapMb: number;
  /** Ends the thread when it has been idle for this long; the next task starts another one. */
  idleMs?: number;
  /** None by default. */
  waiting?: WaitingLimits;
}

/** More tasks wait for the thread than it can do in time. */
export class ThreadBusy extends Error {
  readonly code = 'thread_busy';
  readonly retryable = true;
}

const UNLIMITED: WaitingLimits = { maxWaitMs: Infinity, maxAccountWeight: Infinity };

/**
 * A thread for work that may hang or use up memory. It runs one task at a time (see `WaitingTasks` for their order). The first task starts
 * the thread and, after it was stopped, the next one does. It sees no environment variables and does not keep the process alive.
 */
export class WorkThread<Task, Result> {
  private readonly step = new Int32Array(new SharedArrayBuffer(4));
  private worker: Worker | undefined;
  private readonly waiting: WaitingTasks;
  private busy = false;
  private idleTimer: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(private readonly options: WorkThreadOptions) {
    this.waiting = new WaitingTasks(options.waiting ?? UNLIMITED);
  }

  /** Number of tasks that run or wait. */
  get pending(): number {
    return this.waiting.size + (this.busy ? 1 : 0);
  }

  /**
   * Rejects with `ThreadStopped`, `ThreadBusy`, or the error that the task threw in the thread. A light task overtakes heavier ones of its
   * account that wait.
   */
  run(task: Task, weight = 0, account = ''): Promise<Result> {
    clearTimeout(this.idleTimer);
    return new Promise((resolve, reject) => {
      const perform = () => this.perform(task).then(resolve, reject);
      const giveUp = () => reject(new ThreadBusy('others took too long'));
      const added = this.waiting.add({ account, weight, since: performance.now(), perform, giveUp });
      if (!added) return reject(new ThreadBusy('too much of the account is waiting'));
      this.runNext();
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.idleTimer);
    await this.worker?.terminate();
  }

  private runNext(): void {
    if (this.busy) return;
    const task = this.waiting.take(performance.now());
    if (!task) return this.becomeIdle();
    this.busy = true;
    void task.perform().then(() => {
      this.busy = false;
      this.runNext();
    });
  }

  private becomeIdle(): void {
    this.worker?.unref();
    if (this.options.idleMs !== undefined) {
      this.idleTimer = setTimeout(() => this.retire(), this.options.idleMs).unref();
    }
  }

  private retire(): void {
    void this.worker?.terminate();
    this.worker = undefined;
  }

  private perform(task: Task): Promise<Result> {
    if (this.closed) return Promise.reject(new ThreadStopped('exit', NOT_BEGUN));
    Atomics.store(this.step, 0, NOT_BEGUN);
    const worker = this.ensureWorker();
    // The system has no files or threads left for it, which is temporary.
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
        // After `close` the task is not to blame.
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

  private ensureWorker(): Worker | undefined {
    try {
      return (this.worker ??= this.startWorker());
    } catch {
      return undefined;
    }
  }

  private startWorker(): Worker {
    const workerData: ThreadData = { step: this.step.buffer as SharedArrayBuffer };
    const resourceLimits = {
      maxOldGenerationSizeMb: this.options.heapMb,
      maxYoungGenerationSizeMb: YOUNG_GENERATION_MB,
    };
    const worker = new Worker(this.options.file, { workerData, resourceLimits, env: {}, execArgv: [] });
    worker.on('error', () => this.forget(worker));
    worker.on('exit', () => this.forget(worker));
    return worker;
  }

  private forget(worker: Worker): void {
    if (this.worker === worker) this.worker = undefined;
  }

  /** Counts timer ticks without progress instead of time: if the machine was paused, that is not the task's fault. */
  private watch(onSilence: () => void): () => void {
    let seen = NOT_BEGUN;
    let silentMs = 0;
    const timer = setInterval(() => {
      const step = Atomics.load(this.step, 0);
      silentMs = step === seen ? silentMs + WATCH_INTERVAL_MS : 0;
      seen = step;
      if (silentMs >= (step === NOT_BEGUN ? this.options.startMs : this.options.stepMs)) {
        clearInterval(timer);
        onSilence();
      }
    }, WATCH_INTERVAL_MS);
    return () => clearInterval(timer);
  }
}
