import type { Ride, Rider } from '../smtp/smtp.connection';
import type { SmtpJob } from '../smtp/smtp.exchange';

export interface PoolJob extends SmtpJob {
  /** Goes before jobs that are not urgent. */
  urgent: boolean;
}

interface WaitingJob {
  job: PoolJob;
  called(ride?: Ride): void;
}

/** Mails that wait for a connection: urgent ones first, then in order of arrival. */
export class WaitingJobs {
  private readonly waiting: WaitingJob[] = [];

  /** Resolves to a ride behind another mail; to undefined if a connection may be free, or the job was given up. */
  async wait(job: PoolJob): Promise<Ride | undefined> {
    let called!: WaitingJob['called'];
    const ride = new Promise<Ride | undefined>((resolve) => (called = resolve));
    const one = { job, called };
    const behind = job.urgent ? this.waiting.findIndex((other) => !other.job.urgent) : -1;
    this.waiting.splice(behind < 0 ? this.waiting.length : behind, 0, one);
    const withdrawn = () => {
      const index = this.waiting.indexOf(one);
      if (index >= 0) this.waiting.splice(index, 1);
      called();
    };
    job.withdrawal.listen(withdrawn);
    try {
      return await ride;
    } finally {
      job.withdrawal.unlisten(withdrawn);
    }
  }

  /** Tells the first `count` jobs to look for a connection. */
  wake(count = Infinity): void {
    for (const { called } of this.waiting.splice(0, count)) called();
  }

  /** The first job, if it may ride; it no longer waits then. */
  takeRider(may: (job: PoolJob) => boolean): Rider | undefined {
    const first = this.waiting[0];
    if (!first || !may(first.job)) return undefined;
    this.waiting.shift();
    return { job: first.job, taken: first.called };
  }
}
