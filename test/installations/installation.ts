/** The product as it is installed: one process, or five. It starts and stops as a whole; its data stay. */
export interface Installation {
  /** Port of the API. */
  readonly port: number;
  /** Directory of the embedded profile's files; empty for the cluster profile. */
  readonly dataDir: string;
  /** All output of the processes since they were started. */
  readonly output: string;
  /** Resolves to the exit code (null after a signal) when the latest process that serves the API has ended. */
  readonly ended: Promise<number | null>;
  /** Starts it, again or for the first time, and waits until it is ready. */
  start(command?: string[]): Promise<void>;
  /** Sends a signal to every process and waits for their end; resolves to the exit code (null if the signal itself ended one). */
  stop(signal: NodeJS.Signals): Promise<number | null>;
  /** Kills what still runs and removes the data. */
  destroy(): Promise<void>;
}

export type Profile = 'embedded' | 'cluster';

/** The profile that the suites run against, from LETTERMILL_PROFILE. */
export const PROFILE: Profile = process.env.LETTERMILL_PROFILE === 'cluster' ? 'cluster' : 'embedded';
