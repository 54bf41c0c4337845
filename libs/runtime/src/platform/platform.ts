import type { BlobStore } from '@lettermill/blobs';
import type { EventLog } from '@lettermill/log';
import type { Storage } from '@lettermill/storage';
import type { Config, ServiceName } from '@lettermill/config';
import type { Logger } from '../logging/logger';

/** The infrastructure of a service, which does not know which profile it comes from. */
export interface Platform {
  config: Config;
  log: EventLog;
  storage: Storage;
  blobs: BlobStore;
  logger: Logger;
  /** Name of this process among its replicas; the owner of its leases. */
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
