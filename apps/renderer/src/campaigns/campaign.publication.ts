import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { isRetryable, pause } from '@lettermill/concurrency';
import { derivedId, type Event } from '@lettermill/events';
import { EventPublisher } from '@lettermill/log';
import { LOGGER, type Logger } from '@lettermill/runtime';
import type { CampaignVersion } from './campaign';
import { CAMPAIGN_STORE, refOf, type CampaignStore } from './campaigns.store';

const RETRY_DELAY_MS = 1000;

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
  private catchUp: Promise<void> = Promise.resolve();
  private readonly shutdown = new AbortController();

  constructor(
    @Inject(CAMPAIGN_STORE) private readonly store: CampaignStore,
    private readonly publisher: EventPublisher,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.catchUp = this.publishUntilDone();
  }

  async onApplicationShutdown(): Promise<void> {
    this.shutdown.abort();
    await this.catchUp;
  }

  /** If this rejects, the version is announced later: it is stored, and reading the campaign returns it. */
  async announce(version: CampaignVersion): Promise<void> {
    try {
      await this.publish([version]);
    } catch (error) {
      this.catchUp = this.catchUp.then(() => this.publishUntilDone());
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
  private async publishUnpublished(): Promise<void> {
    const campaigns = new Map<string, CampaignVersion[]>();
    for (const version of await this.store.unpublished()) {
      const { account_id, slug } = version.launched;
      const name = `${account_id}\n${slug}`;
      campaigns.set(name, [...(campaigns.get(name) ?? []), version]);
    }
    for (const versions of campaigns.values()) await this.publishIfPossible(versions);
  }

  /** Rejects only with a fault that passes: what the log refuses for another reason holds no other campaign back. */
  private async publishIfPossible(versions: CampaignVersion[]): Promise<void> {
    try {
      await this.publish(versions);
    } catch (error) {
      if (isRetryable(error)) throw error;
      const { account_id, slug } = versions[0]!.launched;
      this.logger.error({ err: error, account_id, slug }, 'versions of a campaign cannot be announced');
    }
  }

  private async publishUntilDone(): Promise<void> {
    while (!this.shutdown.signal.aborted) {
      try {
        return await this.publishUnpublished();
      } catch (error) {
        this.logger.warn({ err: error }, 'campaign versions cannot be announced yet');
        if (!isRetryable(error)) return;
        await pause(RETRY_DELAY_MS, this.shutdown.signal);
      }
    }
  }
}
