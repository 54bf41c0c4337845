/** The product as it is installed: one process, or five. It comes and goes as a whole, on data that stay. */
export interface Installation {
  /** Where the API is. */
  readonly port: number;
  /** The embedded profile's files. */
  readonly dataDir: string;
  /** All that the processes have said since they were started. */
  readonly output: string;
  readonly pid: number;
  /** Resolves with the exit code (null after a signal) when the process of the last start that answers the API has ended. */
  readonly ended: Promise<number | null>;
  /** Starts it, again or for the first time, and waits until it is ready. */
  start(command?: string[]): Promise<void>;
  /** Sends a signal to every process and waits for the end; answers the exit code (null when the signal itself ended one). */
  stop(signal: NodeJS.Signals): Promise<number | null>;
  /** Kills what still runs and removes the data. */
  destroy(): Promise<void>;
}

export type Profile = 'embedded' | 'cluster';

/** What the suites run against: LETTERMILL_PROFILE. */
export const PROFILE: Profile = process.env.LETTERMILL_PROFILE === 'cluster' ? 'cluster' : 'embedded';
