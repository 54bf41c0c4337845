import type { Platform } from './platform';

/** An open platform, and how to close it. */
export interface OpenPlatform {
  platform: Platform;
  /** Closes log, stores and blobs. The services must be closed first. */
  close(): Promise<void>;
}
