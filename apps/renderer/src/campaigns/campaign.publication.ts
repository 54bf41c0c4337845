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

/** Announces stored versions on the log. Versions left unannounced by a crash are announced at the next start. */
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

  /** If this rejects, the version is announced later: it is stored, and reading the campaign returns it. */
  async announce(version: CampaignVersion): Promise<void> {
    try {
      await this.publish([version]);
    } catch (error) {
      this.healing = this.healing.then(() => this.heal());
      throw error;
    }
  }

  /**
   * Announces versions of one campaign, oldest first. The topic keeps the last record of each key for ever, so that one must be the newest
   * version: a process that finds a newer version after its own announcement announces that again. Only then are its own versions marked:
   * if it dies before, another process announces them.
   */
  private async publish(versions: CampaignVersion[]): Promise<void> {
    for (let next = versions; next.length > 0;) {
      await this.publisher.publish(next.map(launchedEvent));
      const { account_id, slug, version } = next.at(-1)!.launched;
      const latest = await this.store.latest(account_id, { slug });
      next = latest && latest.launched.version > version ? [latest] : [];
    }
    await this.store.markPublished(versions.map(refOf));
  }

  /** Announces the unannounced versions of all accounts. */
  private async publishAll(): Promise<void> {
    const campaigns = new Map<string, CampaignVersion[]>();
    for (const version of await this.store.unpublished()) {
      const { account_id, slug } = version.launched;
      const name = `${account_id}\n${slug}`;
      campaigns.set(name, [...(campaigns.get(name) ?? []), version]);
    }
    for (const versions of campaigns.values()) await this.publish(versions);
  }

  private async heal(): Promise<void> {
    while (!this.ending.signal.aborted) {
      try {
        return await this.publishAll();
      } catch (error) {
        this.logger.warn({ err: error }, 'campaign versions cannot be announced yet');
        if (!isAway(error)) return;
        await pause(AGAIN_MS, this.ending.signal);
      }
    }
  }
}
