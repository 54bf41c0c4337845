import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { isAway, pause } from '@lettermill/concurrency';
import { derivedId, type Event } from '@lettermill/events';
import { EventPublisher } from '@lettermill/log';
import { LOGGER, type Logger } from '@lettermill/runtime';
import type { CampaignVersion } from './campaign';
import { CAMPAIGN_STORE, refOf, type CampaignStore } from './campaigns.store';

const AGAIN_MS = 1000;

function launchedEvent({ launched }: CampaignVersion): Event<'CampaignLaunched'> {
  return {
    id: derivedId(launched.id, `v${launched.version}`),
    type: 'CampaignLaunched',
    source: 'renderer',
    time: launched.launched_at,
    key: `${launched.account_id}:${launched.slug}`,
    data: launched,
  };
}

/** Announces stored versions on the log. What a crash left unannounced is announced at the next start. */
@Injectable()
export class CampaignPublication implements OnApplicationBootstrap, OnApplicationShutdown {
  private healing: Promise<void> = Promise.resolve();
  private readonly ending = new AbortController();

  constructor(
    @Inject(CAMPAIGN_STORE) private readonly store: CampaignStore,
    private readonly publisher: EventPublisher,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.healing = this.heal();
  }

  async onApplicationShutdown(): Promise<void> {
    this.ending.abort();
    await this.healing;
  }

  /** `publish`; where that fails it is announced later: the version is stored, and whoever asks is shown it. */
  async announce(accountId: string, slug: string): Promise<void> {
    try {
      await this.publish(accountId, slug);
    } catch (error) {
      this.healing = this.healing.then(() => this.heal());
      throw error;
    }
  }

  /**
   * Announces what is unannounced of a slug. The topic keeps the last record of each key for ever, so the last one must
   * be the newest version: who finds a newer one after its own announcement announces that again.
   */
  async publish(accountId: string, slug: string): Promise<void> {
    let versions = await this.store.unpublished({ accountId, slug });
    while (versions.length > 0) {
      await this.publisher.publish(versions.map(launchedEvent));
      await this.store.markPublished(versions.map(refOf));
      const last = versions.at(-1)!.launched.version;
      const latest = await this.store.latest(accountId, { slug });
      versions = latest && latest.launched.version > last ? [latest] : [];
    }
  }

  /** Announces what is unannounced of all accounts. */
  async publishAll(): Promise<void> {
    const names = new Map<string, [accountId: string, slug: string]>();
    for (const { launched } of await this.store.unpublished()) {
      names.set(`${launched.account_id}\n${launched.slug}`, [launched.account_id, launched.slug]);
    }
    for (const [accountId, slug] of names.values()) await this.publish(accountId, slug);
  }

  private async heal(): Promise<void> {
    while (!this.ending.signal.aborted) {
      try {
        return await this.publishAll();
      } catch (error) {
        this.logger.warn({ err: error }, 'campaign versions can not be announced yet');
        if (!isAway(error)) return;
        await pause(AGAIN_MS, this.ending.signal);
      }
    }
  }
}
