import { availableParallelism } from 'node:os';
import { workerFile } from '@lettermill/concurrency';
import { RENDER_LIMITS, type RenderLimits } from '../liquid.limits';
import { ThreadStopped, WorkThread } from '../threads/work.thread';
import type { RenderJob, RenderOutcome } from './render.job';
import { packJobs, type RenderTask } from './render.task';

const SLICE = 50;
const START_MS = 30_000;

export interface RenderPoolOptions {
  /** Default: half of the cores, 1 to 4. */
  threads: number;
  limits: RenderLimits;
  /** Heap of each thread, in MiB. */
  heapMb: number;
}

function defaults(): RenderPoolOptions {
  const threads = Math.min(4, Math.max(1, Math.floor(availableParallelism() / 2)));
  return { threads, limits: RENDER_LIMITS, heapMb: 192 };
}

/**
 * Renders messages in threads of their own. What a template does ends its own message at most: a thread that hangs or
 * runs out of memory is replaced, the culprit gets one more try by itself, the others of its batch are rendered again.
 */
export class RenderPool {
  private readonly options: RenderPoolOptions;
  private readonly threads: WorkThread<RenderTask, RenderOutcome[]>[];

  constructor(options: Partial<RenderPoolOptions> = {}) {
    this.options = { ...defaults(), ...options };
    const { limits, heapMb, threads } = this.options;
    // Twice the time of a message for its second go, twice that for what no limit of Liquid sees.
    const stepMs = limits.messageMs * 4;
    const file = workerFile(__dirname, 'render.worker');
    this.threads = Array.from({ length: threads }, () => new WorkThread({ file, stepMs, heapMb, startMs: START_MS }));
  }

  /** One outcome per job, in order. Rejects, retryable, only when the threads can't be had. */
  async render(jobs: RenderJob[]): Promise<RenderOutcome[]> {
    const slices: RenderJob[][] = [];
    for (let from = 0; from < jobs.length; from += SLICE) slices.push(jobs.slice(from, from + SLICE));
    const outcomes = await Promise.all(slices.map((slice) => this.renderSlice(slice)));
    return outcomes.flat();
  }

  async close(): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread.close()));
  }

  private run(jobs: RenderJob[]): Promise<RenderOutcome[]> {
    const idlest = this.threads.reduce((best, thread) => (thread.pending < best.pending ? thread : best));
    return idlest.run(packJobs(jobs, this.options.limits));
  }

  private async renderSlice(jobs: RenderJob[]): Promise<RenderOutcome[]> {
    if (jobs.length === 0) return [];
    try {
      return await this.run(jobs);
    } catch (error) {
      if (!(error instanceof ThreadStopped) || error.step < 0) throw error;
      const culprit = error.step;
      const [outcomes, outcome] = await Promise.all([
        this.renderSlice(jobs.toSpliced(culprit, 1)),
        this.renderSuspect(jobs[culprit]!),
      ]);
      return outcomes.toSpliced(culprit, 0, outcome);
    }
  }

  /** Alone: memory may have been short because of others. */
  private async renderSuspect(job: RenderJob): Promise<RenderOutcome> {
    try {
      const [outcome] = await this.run([job]);
      return outcome!;
    } catch (error) {
      if (!(error instanceof ThreadStopped) || error.step < 0) throw error;
      const detail = error.why === 'memory' ? 'rendering takes too much memory' : 'rendering takes too long';
      return { code: 'render_limit', detail };
    }
  }
}
