import type { Ride, Rider } from '../smtp/smtp.connection';
import type { SmtpJob } from '../smtp/smtp.exchange';

export interface PoolJob extends SmtpJob {
  /** Goes before jobs that are not urgent. */
  urgent: boolean;
}

/** How a mail gets to the hop; with a transaction if it already rides behind another one. */
export type AcquiredConnection = Pick<Ride, 'connection'> & Partial<Ride>;

interface WaitingJob {
  job: PoolJob;
  /** Whether a connection is being opened for it: it wants none but a free one. */
  isOpening: boolean;
  called(ride?: Ride): void;
}

/** Mails that wait for a connection: urgent ones first, then in order of arrival. */
export class WaitingJobs {
  private readonly waiting: WaitingJob[] = [];

  /** Resolves to a ride behind another mail; to undefined if a connection may be free, or the job was given up. */
  async wait(job: PoolJob, isOpening = false): Promise<Ride | undefined> {
    let called!: WaitingJob['called'];
    const ride = new Promise<Ride | undefined>((resolve) => (called = resolve));
    const one = { job, isOpening, called };
    const behind = job.urgent ? this.waiting.findIndex((other) => !other.job.urgent) : -1;
    this.waiting.splice(behind < 0 ? this.waiting.length : behind, 0, one);
    const withdrawn = () => this.leave(job);
    job.withdrawal.listen(withdrawn);
    try {
      return await ride;
    } finally {
      job.withdrawal.unlisten(withdrawn);
    }
  }

  /** Ends the waiting of this job. */
  leave(job: PoolJob): void {
    const index = this.waiting.findIndex((one) => one.job === job);
    if (index >= 0) this.waiting.splice(index, 1)[0]!.called();
  }

  /** Tells the first `count` jobs to look for a connection, and `free` of those for which one is being opened. */
  wake(count = Infinity, free = Infinity): void {
    for (const one of this.waiting.splice(0)) {
      const left = one.isOpening ? free-- : count--;
      if (left > 0) one.called();
      else this.waiting.push(one);
    }
  }

  /** The first job, if it may ride; it no longer waits then. */
  takeRider(may: (job: PoolJob) => boolean): Rider | undefined {
    const first = this.waiting[0];
    if (!first || !may(first.job)) return undefined;
    this.waiting.shift();
    return { job: first.job, taken: first.called };
  }
}
