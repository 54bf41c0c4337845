import type { BlobStore } from '@lettermill/blobs';
import type { EventLog } from '@lettermill/log';
import type { Storage } from '@lettermill/storage';
import type { Config, ServiceName } from '../config/config';
import type { Logger } from '../logging/logger';

/** What a service stands on. It does not know which profile made it. */
export interface Platform {
  config: Config;
  log: EventLog;
  storage: Storage;
  blobs: BlobStore;
  logger: Logger;
  /** Name of this process among replicas; a lease is held under it. */
  instance: string;
}

export const CONFIG = Symbol('Config');
export const LOGGER = Symbol('Logger');
export const SERVICE = Symbol('ServiceName');
export const INSTANCE = Symbol('Instance');
/** `() => number`: milliseconds since the epoch. */
export const CLOCK = Symbol('Clock');
export type Clock = () => number;
export type { ServiceName };
