import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '@lettermill/config';
import { SqlDatabase } from '@lettermill/storage';
import { LibsqlDeliveryStore } from '../deliveries/deliveries.store.libsql';
import type { NewDelivery, PriorityRank } from '../deliveries/deliveries.store';
import { DueQueue, type Admitted } from '../due/due.queue';

export const START = 1_800_000_000_000;

/** A queue on a real store, with a clock that the test advances. */
export class Due {
  now = START;
  private readonly directory = mkdtempSync(join(tmpdir(), 'due-'));
  private readonly database = new SqlDatabase(join(this.directory, 'due.db'));
  readonly store = new LibsqlDeliveryStore(this.database);

  static async open(): Promise<Due> {
    const due = new Due();
    await due.store.migrate();
    return due;
  }

  async close(): Promise<void> {
    await this.database.close();
    rmSync(this.directory, { recursive: true });
  }

  queue(sending: Partial<Config['sending']> = {}): DueQueue {
    const limits = { connections: 10, hopRate: null, domainRates: new Map(), domainConcurrency: new Map() };
    const config = { sending: { ...limits, ...sending }, retryDelays: [60] } as Config;
    return new DueQueue(this.store, config, () => this.now);
  }

  fill(
    count: number,
    domain: string | ((n: number) => string),
    over: Partial<NewDelivery> = {},
    mark = '',
  ): Promise<number> {
    return this.store.insert(
      Array.from({ length: count }, (_, n) => ({ n, domain: typeof domain === 'string' ? domain : domain(n) })).map(
        ({ n, domain }) => ({
          accountId: 'default',
          messageId: `${domain}/${mark}${n}`,
          domain,
          recipients: [],
          content: '{}',
          priority: 1 as PriorityRank,
          dueAt: START,
          expiresAt: null,
          ...over,
        }),
      ),
    );
  }

  /** Claims the deliveries and ends their attempts after `ms`. */
  async send(queue: DueQueue, admitted: Admitted[], ms = 5): Promise<void> {
    await this.store.claim(admitted, { owner: 'a', now: this.now, until: this.now + 60_000 });
    this.now += ms;
    for (const one of admitted) queue.leave(one, 'by itself');
  }
}

export const domainsOf = (admitted: Admitted[]): string[] => admitted.map(({ domain }) => domain);
