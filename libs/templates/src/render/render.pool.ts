import { availableParallelism } from 'node:os';
import { workerFile } from '@lettermill/concurrency';
import { RENDER_LIMITS, type RenderLimits } from '../liquid.limits';
import { ThreadStopped, WorkThread } from '../threads/work.thread';
import { isOutOfTime, type RenderJob, type RenderOutcome } from './render.job';
import { packJobs, type RenderTask } from './render.task';
import { SlowTemplates } from './slow.templates';

const SLICE_SIZE = 50;
const START_TIMEOUT_MS = 30_000;

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
 * Renders messages in threads. A template can only fail its own messages: a thread that hangs or runs out of memory is
 * replaced, and those before the message that caused it are rendered again. This message, and one that takes too long, get one more try
 * alone. Templates known to be slow get less and less time, so that they delay others less.
 */
export class RenderPool {
  private readonly options: RenderPoolOptions;
  private readonly threads: WorkThread<RenderTask, RenderOutcome[]>[];
  private readonly slowTemplates: SlowTemplates;

  constructor(options: Partial<RenderPoolOptions> = {}) {
    this.options = { ...defaults(), ...options };
    const { limits, heapMb, threads } = this.options;
    this.slowTemplates = new SlowTemplates(limits.messageMs);
    // Twice the time of a message for its second try, and twice that for work that Liquid's limits do not see.
    const stepMs = limits.messageMs * 4;
    const file = workerFile(__dirname, 'render.worker');
    this.threads = Array.from(
      { length: threads },
      () => new WorkThread({ file, stepMs, heapMb, startMs: START_TIMEOUT_MS }),
    );
  }

  /** Resolves to one outcome per job, in order. Rejects (retryable) only if the threads are unavailable. */
  render(jobs: RenderJob[]): Promise<RenderOutcome[]> {
    return this.renderEach(jobs, (outcome) => Promise.resolve(outcome));
  }

  /**
   * Resolves to what `make` makes of each outcome, in the order of the jobs. It is called as outcomes arrive, and no more are rendered
   * meanwhile, because all of them together may exceed the memory. Rejects as `render` and `make` do.
   */
  async renderEach<Made>(
    jobs: RenderJob[],
    make: (outcome: RenderOutcome, index: number) => Promise<Made>,
  ): Promise<Made[]> {
    const slices: Promise<Made[]>[] = [];
    for (let from = 0; from < jobs.length; from += SLICE_SIZE) {
      slices.push(
        this.renderSlice(jobs.slice(from, from + SLICE_SIZE), (outcome, index) => make(outcome, from + index)),
      );
    }
    return (await Promise.all(slices)).flat();
  }

  async close(): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread.close()));
  }

  private run(jobs: RenderJob[], messageMs = this.options.limits.messageMs): Promise<RenderOutcome[]> {
    const idlest = this.threads.reduce((best, thread) => (thread.pending < best.pending ? thread : best));
    return idlest.run(packJobs(jobs, { ...this.options.limits, messageMs }));
  }

  private async renderSlice<Made>(
    jobs: RenderJob[],
    make: (outcome: RenderOutcome, index: number) => Promise<Made>,
  ): Promise<Made[]> {
    const made: Made[] = [];
    while (made.length < jobs.length) {
      const from = made.length;
      const rest = from === 0 ? jobs : jobs.slice(from);
      const suspectIndex = this.slowTemplates.hasAny ? rest.findIndex((job) => this.slowTemplates.knows(job)) : -1;
      const unsuspected = suspectIndex < 0 ? rest : rest.slice(0, suspectIndex);
      const outcomes =
        suspectIndex === 0 ? [await this.renderSuspect(rest[0]!)] : await this.renderTogether(unsuspected);
      made.push(...(await Promise.all(outcomes.map((outcome, index) => make(outcome, from + index)))));
    }
    return made;
  }

  /**
   * Outcomes in order, as many as the thread answers together. One that ran out of time is not among them: its template becomes suspect,
   * and it is tried again alone, as the machine may have stood still meanwhile.
   */
  private async renderTogether(jobs: RenderJob[]): Promise<RenderOutcome[]> {
    try {
      const outcomes = await this.run(jobs);
      const last = jobs[outcomes.length - 1]!;
      const ranOut = isOutOfTime(outcomes.at(-1)!);
      if (ranOut) this.slowTemplates.noteSuspect(last);
      if (this.slowTemplates.hasAny) this.noteRendered(jobs, outcomes);
      if (!ranOut) return outcomes;
      return outcomes.length > 1 ? outcomes.slice(0, -1) : [await this.renderSuspect(last)];
    } catch (error) {
      if (!(error instanceof ThreadStopped) || error.step < 0) throw error;
      // Other messages may have used up the memory, but not the time of this step.
      if (error.why === 'time') this.slowTemplates.noteStopped(jobs[error.step]!);
      else this.slowTemplates.noteSuspect(jobs[error.step]!);
      return error.step > 0 ? this.renderTogether(jobs.slice(0, error.step)) : [await this.renderSuspect(jobs[0]!)];
    }
  }

  private noteRendered(jobs: RenderJob[], outcomes: RenderOutcome[]): void {
    outcomes.forEach((outcome, index) => {
      if (!isOutOfTime(outcome)) this.slowTemplates.noteRendered(jobs[index]!);
    });
  }

  /** Renders a message alone, within the time that its template is still given. */
  private async renderSuspect(job: RenderJob): Promise<RenderOutcome> {
    if (this.slowTemplates.isRefused(job)) {
      return {
        code: 'render_limit',
        detail: 'rendering takes too long or too much memory, as it did for earlier messages',
      };
    }
    try {
      const [outcome] = await this.run([job], this.slowTemplates.allowedMs(job));
      if (isOutOfTime(outcome!)) this.slowTemplates.noteRanOut(job);
      else this.slowTemplates.clear(job);
      return outcome!;
    } catch (error) {
      if (!(error instanceof ThreadStopped) || error.step < 0) throw error;
      this.slowTemplates.noteStopped(job);
      const detail = error.why === 'memory' ? 'rendering takes too much memory' : 'rendering takes too long';
      return { code: 'render_limit', detail };
    }
  }
}
