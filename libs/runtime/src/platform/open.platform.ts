import type { Platform } from './platform';

/** A platform that is in use, and its end. */
export interface OpenPlatform {
  platform: Platform;
  /** Closes log, stores and blobs; the services must be closed before. */
  close(): Promise<void>;
}
