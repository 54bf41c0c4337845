import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { CLOCK, CONFIG, LOGGER, type Clock, type Config, type Logger } from '@lettermill/runtime';
import { bearerKey, hashApiKey, sameBytes } from './api.key';
import { KEY_STORE, type KeyStore, type StoredKey } from './keys.store';

/** The account that the first key belongs to. */
const DEFAULT_ACCOUNT = 'default';
/** A revoked key is refused, a new one known, at the latest after this. */
const RENEW_MS = 5_000;

interface Known {
  hash: Buffer;
  accountId: string;
}

interface Shown {
  header: Buffer;
  accountId: string;
}

/** The keys in memory: no request calls the store. */
@Injectable()
export class KeyRing implements OnApplicationBootstrap, OnApplicationShutdown {
  private known = new Map<string, Known>();
  /** What each connection showed last, and whose it was; forgotten with the connection, and whenever keys are read again. */
  private shown = new WeakMap<object, Shown>();
  private timer: NodeJS.Timeout | undefined;
  private readings = 0;
  /** The last of them whose answer is in use. */
  private inUse = 0;

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
    this.timer = setInterval(() => void this.renewQuietly(), RENEW_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /**
   * The account of the key in an Authorization header, or undefined. A connection that shows the same header again is
   * spared the hash.
   */
  accountOf(authorization: string | undefined, connection?: object): string | undefined {
    if (authorization === undefined) return undefined;
    if (!connection) return this.lookUp(authorization);
    const header = Buffer.from(authorization, 'latin1');
    const before = this.shown.get(connection);
    if (before && sameBytes(before.header, header)) return before.accountId;
    const accountId = this.lookUp(authorization);
    if (accountId !== undefined) this.shown.set(connection, { header, accountId });
    return accountId;
  }

  /** An answer that comes after that of a later reading tells of keys that are revoked by now. */
  async renew(): Promise<void> {
    this.readings += 1;
    const reading = this.readings;
    const keys = await this.store.all();
    if (reading < this.inUse) return;
    this.inUse = reading;
    this.known = new Map(keys.map((key) => [key.hash, knownOf(key)]));
    this.shown = new WeakMap();
  }

  /** A key that is in the store by now: known at once, without a reading that may fail. */
  learn(key: StoredKey): void {
    this.outdateReadings();
    this.known.set(key.hash, knownOf(key));
  }

  /** A key that is gone from the store: refused at once, on connections that showed it too. */
  forget(hash: string): void {
    this.outdateReadings();
    this.known.delete(hash);
    this.shown = new WeakMap();
  }

  /** Those under way may tell of the store as it was before. */
  private outdateReadings(): void {
    this.readings += 1;
    this.inUse = this.readings;
  }

  private lookUp(authorization: string): string | undefined {
    const key = bearerKey(authorization);
    if (key === undefined) return undefined;
    const hash = hashApiKey(key);
    // The look-up is by a hash that nobody can steer; the comparison is in constant time all the same.
    const known = this.known.get(hash.toString('hex'));
    return known && sameBytes(known.hash, hash) ? known.accountId : undefined;
  }

  private async renewQuietly(): Promise<void> {
    try {
      await this.renew();
    } catch (error) {
      this.logger.warn({ err: error }, 'the API keys could not be read again; the known ones stay in use');
    }
  }
}

function knownOf({ hash, accountId }: StoredKey): Known {
  return { hash: Buffer.from(hash, 'hex'), accountId };
}
