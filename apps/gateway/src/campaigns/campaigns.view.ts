import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import {
  decodeEvent,
  TOPICS,
  type CampaignLaunched,
  type CampaignRef,
  type Copies,
  type Priority,
} from '@lettermill/events';
import { EVENT_LOG, type EventLog, type RecordBatch, type Subscription } from '@lettermill/log';
import { unavailable } from '@lettermill/problems';
import { LOGGER, type Logger } from '@lettermill/runtime';
import { OwnerClient, type Cause } from '../owners/owner.client';
import { bindCampaignsCurrent } from './campaigns.metrics';

/** The campaign's own files: each message has them in addition to those of its request. */
export interface CampaignFiles {
  bytes: number;
  cids: string[];
}

export const NO_FILES: CampaignFiles = { bytes: 0, cids: [] };

/** What the gateway needs to know of a campaign to accept a request. */
export interface KnownCampaign extends CampaignRef {
  priority: Priority;
  files: CampaignFiles;
  /** JSON of the addresses that its mails are copied to, unless the request says otherwise; undefined if there are none. */
  copiesJson?: string;
}

export type CampaignName = { id: string } | { slug: string };

/** The campaign as a request names it: by its slug alone, or by an object. */
export function campaignName(given: string | CampaignName): CampaignName {
  return typeof given === 'string' ? { slug: given } : given;
}

/** Longest wait for the history of launches at start. */
const HISTORY_TIMEOUT_MS = 60_000;
/** A scrape waits at most this long for the view to be current. */
const SCRAPE_TIMEOUT_MS = 1_500;

/** A launch as the renderer tells of it. */
export interface LaunchedCampaign extends Copies {
  id: string;
  slug: string;
  version: number;
  priority: Priority;
  attachments: { size: number; cid?: string }[];
}

/** The gateway's own view of `campaign-launched`: the newest version of every campaign, by account. */
@Injectable()
export class CampaignsView implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly campaigns = new Map<string, KnownCampaign>();
  private subscription: Subscription | undefined;

  constructor(
    @Inject(EVENT_LOG) private readonly log: EventLog,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly owners: OwnerClient,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const subscription = await this.log.follow({
      topics: [TOPICS.campaignLaunched],
      onBatch: (batch) => this.apply(batch),
    });
    this.subscription = subscription;
    bindCampaignsCurrent(() => subscription.caughtUp(SCRAPE_TIMEOUT_MS));
    if (!(await subscription.caughtUp(HISTORY_TIMEOUT_MS))) {
      this.logger.warn('not all campaigns are known yet; the renderer is asked for unknown ones');
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.subscription?.close();
  }

  /** The campaign from the view, else from the renderer, which owns it. Throws `unavailable` if the renderer cannot say. */
  async find(accountId: string, name: CampaignName, cause: Cause): Promise<KnownCampaign | undefined> {
    return this.known(accountId, name) ?? (await this.askOwner(accountId, name, cause));
  }

  /** The campaign if the view has it. */
  known(accountId: string, name: CampaignName): KnownCampaign | undefined {
    return this.campaigns.get(viewKey(accountId, name));
  }

  /** Takes a launch into the view, unless the view has that version or a newer one. */
  learn(accountId: string, launched: LaunchedCampaign): KnownCampaign {
    const { id, slug, version, priority, attachments, cc, bcc } = launched;
    const known = this.campaigns.get(viewKey(accountId, { id }));
    if (known && known.version >= version) return known;
    const files = filesOf(attachments);
    const campaign = { id, slug, version, priority, files, copiesJson: copiesJson({ cc, bcc }) };
    this.campaigns.set(viewKey(accountId, { id }), campaign);
    this.campaigns.set(viewKey(accountId, { slug }), campaign);
    return campaign;
  }

  private async askOwner(
    accountId: string,
    name: CampaignName,
    { requestId, traceparent }: Cause,
  ): Promise<KnownCampaign | undefined> {
    const value = 'id' in name ? name.id : name.slug;
    const path = `/v2/campaigns/${encodeURIComponent(value)}`;
    const call = { accountId, method: 'GET', path, requestId, traceparent };
    const { status, body } = await this.owners.call('renderer', call);
    // The campaign may well exist although its owner cannot look it up; a client that is told it is unknown would not try again.
    if (status >= 500) throw unavailable('The campaign cannot be looked up now.');
    if (status !== 200) return undefined;
    const launched = JSON.parse(body.toString()) as LaunchedCampaign;
    // An id and a slug may look alike: the campaign found must match the kind of name asked for.
    const fits = 'id' in name ? launched.id === value : launched.slug === value;
    return fits ? this.learn(accountId, launched) : undefined;
  }

  private apply({ records }: RecordBatch): Promise<void> {
    for (const record of records) {
      try {
        const launched = decodeEvent(record).data as CampaignLaunched;
        const { cc, bcc } = launched.message;
        this.learn(launched.account_id, { ...launched, cc, bcc });
      } catch (error) {
        // The message of a parser error repeats what was read, which may be anything: it must not get into the logs.
        const { code = 'handler_failed' } = error as { code?: string };
        const { partition, position } = record;
        this.logger.error({ code, partition, position }, 'a record of campaign-launched cannot be read');
        this.forget(record.key);
      }
    }
    return Promise.resolve();
  }

  /** A launch that cannot be read may come from a newer renderer: it is asked then, rather than the version before that launch used. */
  private forget(recordKey: string): void {
    const at = recordKey.lastIndexOf(':');
    const [accountId, slug] = [recordKey.slice(0, at), recordKey.slice(at + 1)];
    const known = this.known(accountId, { slug });
    if (!known) return;
    this.campaigns.delete(viewKey(accountId, { slug }));
    this.campaigns.delete(viewKey(accountId, { id: known.id }));
  }
}

function filesOf(attachments: LaunchedCampaign['attachments']): CampaignFiles {
  const bytes = attachments.reduce((sum, { size }) => sum + size, 0);
  return { bytes, cids: attachments.flatMap(({ cid }) => cid ?? []) };
}

/** Addresses without names: whoever looks up the copies needs no names. */
function copiesJson({ cc, bcc }: Copies): string | undefined {
  if (!cc?.length && !bcc?.length) return undefined;
  const bare = (list: Copies['cc']) => list?.map(({ email }) => ({ email }));
  return JSON.stringify({ cc: bare(cc), bcc: bare(bcc) } satisfies Copies);
}

function viewKey(accountId: string, name: CampaignName): string {
  return 'id' in name ? `${accountId}\n#${name.id}` : `${accountId}\n${name.slug}`;
}
