/** A client of kafkajs with connections. */
interface Client {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
}

/** A client while it is in use: by how many. */
export interface Held<C> {
  readonly client: Promise<C>;
  users: number;
}

/**
 * A client that several use at once, made when it is needed, and another one after it was given up. One that is given up is left when the last
 * has done with it: kafkajs would open its connections again for what is still under way, and nobody would close those.
 */
export class SharedClient<C extends Client> {
  private latest: Held<C> | undefined;

  constructor(private readonly make: () => C) {}

  /** Who takes it gives it back. Whether it can connect its `client` tells. */
  take(): Held<C> {
    const held = (this.latest ??= this.begin());
    held.users += 1;
    return held;
  }

  giveBack(held: Held<C>): void {
    held.users -= 1;
    if (held.users === 0 && held !== this.latest) void leave(held);
  }

  /** What was held is not trusted any more; who comes next has another. */
  giveUp(held: Held<C>): void {
    if (held === this.latest) this.latest = undefined;
  }

  /** Leaves at once, and once more where somebody is still at it. */
  async close(): Promise<void> {
    const { latest } = this;
    this.latest = undefined;
    if (latest) await leave(latest);
  }

  /** One that could not connect, for whatever reason, never will: who comes next has another. */
  private begin(): Held<C> {
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

async function leave({ client }: Held<Client>): Promise<void> {
  await client.then((connected) => connected.disconnect()).catch(() => {});
}
