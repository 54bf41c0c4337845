/** A client of kafkajs with connections. */
interface Client {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
}

/** A client in use, and by how many. */
export interface UsedClient<C> {
  readonly client: Promise<C>;
  users: number;
}

/**
 * A client that several callers use at once, created when it is needed; after it is given up, the next caller gets a
 * new one. It is then disconnected only when its last user is done: kafkajs would open its connections again for
 * requests in progress, and nobody would close those.
 */
export class SharedClient<C extends Client> {
  private current: UsedClient<C> | undefined;

  constructor(private readonly make: () => C) {}

  /** Each `take` needs a `giveBack`. The promise `client` rejects if it cannot connect. */
  take(): UsedClient<C> {
    const held = (this.current ??= this.createClient());
    held.users += 1;
    return held;
  }

  giveBack(held: UsedClient<C>): void {
    held.users -= 1;
    if (held.users === 0 && held !== this.current) void disconnectClient(held);
  }

  /** The client is no longer trusted; the next caller gets a new one. */
  giveUp(held: UsedClient<C>): void {
    if (held === this.current) this.current = undefined;
  }

  /** Disconnects at once, and once more when the last user is done. */
  async close(): Promise<void> {
    const { current: latest } = this;
    this.current = undefined;
    if (latest) await disconnectClient(latest);
  }

  /** A client that could not connect, for whatever reason, is not used again: the next caller gets a new one. */
  private createClient(): UsedClient<C> {
    const held = { client: this.connect(), users: 0 };
    held.client.catch(() => this.giveUp(held));
    return held;
  }

  private async connect(): Promise<C> {
    const client = this.make();
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.disconnect().catch(() => {});
      throw error;
    }
  }
}

async function disconnectClient({ client }: UsedClient<Client>): Promise<void> {
  await client.then((connected) => connected.disconnect()).catch(() => {});
}
