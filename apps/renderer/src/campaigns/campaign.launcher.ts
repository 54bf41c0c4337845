import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { isId, quoted, type CampaignLaunch } from '@lettermill/contract';
import { newId } from '@lettermill/events';
import { unavailable, validationFailed, type Fault } from '@lettermill/problems';
import type { Config } from '@lettermill/config';
import { CLOCK, CONFIG, type Clock } from '@lettermill/runtime';
import stableJson from 'fast-json-stable-stringify';
import type { CampaignContent, CampaignVersion } from './campaign';
import { CampaignContents } from './campaign.content';
import { launchedFiles } from './campaign.files';
import { CampaignPublication } from './campaign.publication';
import { CAMPAIGN_STORE, type CampaignStore, type StoredVersion } from './campaigns.store';
import { launchFaults } from './launch.faults';

/** How often a launch gives way to concurrent launches of the same slug before it fails. */
const MAX_ROUNDS = 50;

const NO_PUBLIC_URL: Fault = {
  pointer: '/unsubscribe',
  code: 'public_url_missing',
  detail: 'unsubscribe links need PUBLIC_URL',
};

export interface LaunchResult {
  /** Whether the slug is new. */
  created: boolean;
  campaign: CampaignVersion;
}

/** Launching: check → store content → store the version (compare-and-set) → announce it → answer. */
@Injectable()
export class CampaignLauncher {
  constructor(
    @Inject(CAMPAIGN_STORE) private readonly store: CampaignStore,
    private readonly contents: CampaignContents,
    private readonly publication: CampaignPublication,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CLOCK) private readonly now: Clock,
  ) {}

  /** Throws `Problem` with all faults. A launch whose content is that of the newest version returns that version. */
  async launch(accountId: string, slug: string, body: unknown): Promise<LaunchResult> {
    const faults = [...(await launchFaults(accountId, slug, body)), ...(await this.idFaults(accountId, slug))];
    const wantsUnsubscribe = faults.length === 0 && (body as CampaignLaunch).unsubscribe !== undefined;
    if (wantsUnsubscribe && !this.config.publicUrl) faults.push(NO_PUBLIC_URL);
    if (faults.length > 0) throw validationFailed(faults, 'changed');
    const { content, compiled } = await this.storeContent(accountId, slug, body as CampaignLaunch);
    const fingerprint = createHash('sha256').update(stableJson(content)).digest('hex');
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const latest = await this.store.latest(accountId, { slug });
      if (latest?.launched.fingerprint === fingerprint) return this.unchanged(latest);
      const campaign = { launched: this.nextVersion({ accountId, slug, fingerprint, content }, latest), compiled };
      if (await this.store.add(campaign)) {
        await this.publication.announce(campaign);
        return { created: !latest, campaign };
      }
    }
    throw unavailable('Too many launches of this campaign at the same time.');
  }

  /** Fields that the service itself sets are ignored: a launch may be an edited answer. */
  private async storeContent(accountId: string, slug: string, launch: CampaignLaunch) {
    const { attachments = [], id: _id, slug: _slug, version: _version, launched_at: _at, ...contentFields } = launch;
    const previous = attachments.length > 0 ? await this.store.latest(accountId, { slug }) : undefined;
    const { files, faults } = launchedFiles(attachments, previous?.launched.attachments ?? []);
    if (faults.length > 0) throw validationFailed(faults, 'changed');
    return this.contents.store(accountId, contentFields, files);
  }

  /** A campaign is read by slug or id: one with the id of another campaign as its slug would hide that one. */
  private async idFaults(accountId: string, slug: string): Promise<Fault[]> {
    const other = isId(slug) ? await this.store.latest(accountId, { id: slug }) : undefined;
    if (!other || (await this.store.latest(accountId, { slug }))) return [];
    const detail = `this is the id of the campaign ${quoted(other.launched.slug)}`;
    return [{ pointer: '', code: 'slug_is_an_id', detail }];
  }

  /** The service may have crashed between storing and announcing the version. */
  private async unchanged(latest: StoredVersion): Promise<LaunchResult> {
    if (!latest.published) await this.publication.announce(latest);
    return { created: false, campaign: latest };
  }

  private nextVersion(
    launch: { accountId: string; slug: string; fingerprint: string; content: CampaignContent },
    latest: StoredVersion | undefined,
  ): CampaignVersion['launched'] {
    const { accountId, slug, fingerprint, content } = launch;
    const now = this.now();
    return {
      account_id: accountId,
      id: latest?.launched.id ?? newId(now),
      slug,
      version: (latest?.launched.version ?? 0) + 1,
      launched_at: new Date(now).toISOString(),
      ...content,
      fingerprint,
    };
  }
}
