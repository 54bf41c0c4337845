import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Config } from '@lettermill/config';
import { CLOCK, CONFIG, DEFAULT_ACCOUNT, LOGGER, type Clock, type Logger } from '@lettermill/runtime';
import { bearerKey, hashApiKey, keyIdOf, sameBytes } from './api.key';
import { KEY_STORE, type KeyStore, type StoredKey } from './keys.store';

/** How often the keys are read again: after this time at the latest, a revoked key is refused and a new one is accepted. */
const RENEW_INTERVAL_MS = 5_000;

interface KnownKey {
  id: string;
  hash: Buffer;
  accountId: string;
}

interface AcceptedHeader {
  header: Buffer;
  key: KnownKey;
}

/** All API keys, in memory: no request has to call the store. */
@Injectable()
export class KeyRing implements OnApplicationBootstrap, OnApplicationShutdown {
  private known = new Map<string, KnownKey>();
  /**
   * The last header of each connection and the key in it; dropped with the connection, and whenever the keys are read again.
   */
  private lastHeaders = new WeakMap<object, AcceptedHeader>();
  private timer: NodeJS.Timeout | undefined;
  private readings = 0;
  /** Number of the latest reading whose result is in use. */
  private readingInUse = 0;

  constructor(
    @Inject(KEY_STORE) private readonly store: KeyStore,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CLOCK) private readonly now: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { bootstrapApiKey, revokedApiKeys } = this.config;
    if (bootstrapApiKey) {
      const hash = hashApiKey(bootstrapApiKey).toString('hex');
      await this.store.add({ hash, accountId: DEFAULT_ACCOUNT, name: null, createdAt: this.now() });
    }
    for (const key of revokedApiKeys) await this.store.remove(hashApiKey(key).toString('hex'));
    await this.renew();
    this.timer = setInterval(() => void this.renewQuietly(), RENEW_INTERVAL_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Returns the key in an Authorization header if it is known. When a connection sends the same header again, it is not hashed again. */
  keyOf(authorization: string | undefined, connection?: object): Pick<KnownKey, 'id' | 'accountId'> | undefined {
    if (authorization === undefined) return undefined;
    if (!connection) return this.lookUp(authorization);
    const header = Buffer.from(authorization, 'latin1');
    const before = this.lastHeaders.get(connection);
    if (before && sameBytes(before.header, header)) return before.key;
    const key = this.lookUp(authorization);
    if (key) this.lastHeaders.set(connection, { header, key });
    return key;
  }

  /** Ignores the result of a reading that ends after a later reading: it may contain keys that have been revoked since. */
  async renew(): Promise<void> {
    this.readings += 1;
    const reading = this.readings;
    const keys = await this.store.all();
    if (reading < this.readingInUse) return;
    this.readingInUse = reading;
    this.known = new Map(keys.map((key) => [key.hash, knownOf(key)]));
    this.lastHeaders = new WeakMap();
  }

  /** Accepts a key at once that has just been added to the store, without a reading that could fail. */
  learn(key: StoredKey): void {
    this.outdateReadings();
    this.known.set(key.hash, knownOf(key));
  }

  /** Refuses a key at once that has just been removed from the store, also on connections that have used it. */
  forget(hash: string): void {
    this.outdateReadings();
    this.known.delete(hash);
    this.lastHeaders = new WeakMap();
  }

  /** Readings in progress may return the store as it was before the change; their results are ignored. */
  private outdateReadings(): void {
    this.readings += 1;
    this.readingInUse = this.readings;
  }

  private lookUp(authorization: string): KnownKey | undefined {
    const key = bearerKey(authorization);
    if (key === undefined) return undefined;
    const hash = hashApiKey(key);
    // Nobody can choose the hash that is looked up, so timing reveals nothing; the comparison is in constant time nevertheless.
    const known = this.known.get(hash.toString('hex'));
    return known && sameBytes(known.hash, hash) ? known : undefined;
  }

  private async renewQuietly(): Promise<void> {
    try {
      await this.renew();
    } catch (error) {
      this.logger.warn({ err: error }, 'the API keys could not be read again; the known ones stay in use');
    }
  }
}

function knownOf({ hash, accountId }: StoredKey): KnownKey {
  return { id: keyIdOf(hash), hash: Buffer.from(hash, 'hex'), accountId };
}
