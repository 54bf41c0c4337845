import { Inject, Injectable } from '@nestjs/common';
import { ContentLost } from '@lettermill/blobs';
import type { Body, CampaignLaunched, ContactUpserted, Shared } from '@lettermill/events';
import type { Config } from '@lettermill/config';
import { CONFIG, returnPathOf, unsubscribeToken } from '@lettermill/runtime';
import type { RenderJob } from '@lettermill/templates';
import { Bodies } from '../bodies/bodies';
import type { CampaignVersion } from '../campaigns/campaign';
import { templateData, type Cause, type Failure, type MailParts } from './mail.events';
import { mergeDetails, type MergedDetails } from './precedence';
import { suppressedFor, withoutCopies } from './suppressed.copies';

/** A message with all levels merged and its templates loaded. */
export interface Draft extends MailParts {
  cause: Cause;
  campaign: CampaignLaunched;
  job: RenderJob;
}

export function isFailure(result: Draft | Failure): result is Failure {
  return 'code' in result;
}

/** Characters of texts in memory at a time; a text that the recipients of a request or campaign share counts once. */
const MAX_DRAFT_CHARACTERS = 16 * 1024 * 1024;
/** Drafts made concurrently. */
const MAX_CONCURRENT_DRAFTS = 10;

function charactersOf(drafts: (Draft | Failure)[]): number {
  const texts = drafts.flatMap((draft) => (isFailure(draft) ? [] : [draft.job.text ?? '', draft.job.html ?? '']));
  return [...new Set(texts)].reduce((sum, text) => sum + text.length, 0);
}

type FieldsReadHere = 'unsubscribed' | 'suppressed_copies' | 'shared' | 'message' | 'attachments';
type TemplateFields = 'contact' | 'request_id';
type MailFields = 'account_id' | 'message_id' | 'accepted_at' | 'campaign' | 'to';

/**
 * Fields of the event that would stop here and never reach a mail. A new field is a type error where `gather` is called: read it, and name
 * it above.
 */
type Unread = Exclude<keyof ContactUpserted, FieldsReadHere | TemplateFields | MailFields>;

/** The same for the fields that the recipients of a request share; the profile data has been merged into the contact already. */
type UnreadOfShared = Exclude<keyof Shared, 'profile_data' | 'message' | 'attachments'>;

type CampaignFieldsReadHere = 'message' | 'attachments' | 'on_missing' | 'unsubscribe';
type VersionFields = 'account_id' | 'id' | 'slug' | 'version' | 'name' | 'launched_at' | 'fingerprint';
type QueuedFields = 'from' | 'priority' | 'on_uncertain' | 'valid_for';

/** The same for the fields of a campaign: those that `queuedEvent` reads are the last. */
type UnreadOfCampaign = Exclude<keyof CampaignLaunched, CampaignFieldsReadHere | VersionFields | QueuedFields>;

/** The setting was there at the launch. Without it, those who want no more such mails could not say so. */
const NO_UNSUBSCRIBE_LINK: Failure = {
  code: 'render_error',
  detail: 'the campaign has unsubscribe links, which need PUBLIC_URL: it is not set for the service that renders',
};

/** Collects everything that a message is rendered from. */
@Injectable()
export class MailDrafts {
  constructor(
    private readonly bodies: Bodies,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Drafts of the first of these, in order: of all, or of fewer if their texts are large. What another try cannot repair is a `Failure`;
   * rejects if a store is unavailable.
   */
  async draftSome(
    causes: Cause[],
    campaignOf: (cause: Cause) => CampaignVersion | undefined,
  ): Promise<(Draft | Failure)[]> {
    const drafts: (Draft | Failure)[] = [];
    while (drafts.length < causes.length && charactersOf(drafts) < MAX_DRAFT_CHARACTERS) {
      const next = causes.slice(drafts.length, drafts.length + MAX_CONCURRENT_DRAFTS);
      drafts.push(...(await Promise.all(next.map((cause) => this.draft(cause, campaignOf(cause))))));
    }
    return drafts;
  }

  private async draft(cause: Cause, campaign: CampaignVersion | undefined): Promise<Draft | Failure> {
    if (!campaign) {
      const { slug, version } = cause.data.campaign;
      return { code: 'render_error', detail: `version ${version} of the campaign «${slug}» was not found` };
    }
    try {
      return await this.gather(cause, campaign);
    } catch (error) {
      if (error instanceof ContentLost)
        return { code: 'content_lost', detail: 'stored content of the message is gone' };
      throw error;
    }
  }

  private async gather(
    cause: Cause & { data: Record<Unread, never> },
    { launched, compiled }: CampaignVersion & { launched: Record<UnreadOfCampaign, never> },
  ): Promise<Draft | Failure> {
    const { unsubscribed } = cause.data;
    if (launched.unsubscribe && unsubscribed) return { code: 'unsubscribed', detail: unsubscribed.detail };
    if (launched.unsubscribe && !this.config.publicUrl) return NO_UNSUBSCRIBE_LINK;
    const { account_id, message_id, shared: part, message, attachments = [], accepted_at } = cause.data;
    const shared: Shared & Record<UnreadOfShared, never> = await this.bodies.sharedPart(account_id, part);
    // Overrides were compiled by the gateway.
    const ofCampaign = { ...launched.message, html: compiled ?? launched.message.html };
    const suppressedCopies = suppressedFor(launched, cause.data.suppressed_copies ?? []);
    const merged = withoutCopies(mergeDetails([ofCampaign, shared.message, message]), suppressedCopies);
    const readBody = (body: Body | undefined) => (body === undefined ? undefined : this.bodies.text(account_id, body));
    const [text, html] = await Promise.all([readBody(merged.text), readBody(merged.html)]);
    const unsubscribeUrl = this.unsubscribeUrl(cause, launched);
    return {
      cause,
      campaign: launched,
      merged: { ...merged, headers: withUnsubscribe(merged.headers, unsubscribeUrl) },
      suppressedCopies,
      attachments: [...launched.attachments, ...(shared.attachments ?? []), ...attachments],
      returnPath: returnPathOf(this.config, { accountId: account_id, messageId: message_id }),
      job: {
        subject: merged.subject,
        text,
        html,
        campaign: launched.id,
        account: account_id,
        data: templateData(cause.data, launched, unsubscribeUrl),
        now: Date.parse(accepted_at),
        ...(launched.on_missing === 'fail' && { strict: true }),
      },
    };
  }

  /** Null if the campaign has no unsubscribe links. */
  private unsubscribeUrl({ data }: Cause, { unsubscribe }: CampaignLaunched): string | null {
    const { publicUrl, internalSecret } = this.config;
    if (!unsubscribe || !publicUrl || !internalSecret) return null;
    const who = { accountId: data.account_id, messageId: data.message_id, address: data.to.email };
    return `${publicUrl}/unsubscribe/${unsubscribeToken(internalSecret, who)}`;
  }
}

/** Adds the headers of RFC 8058. If the request has its own List-Unsubscribe header, that one is used instead of ours. */
function withUnsubscribe(headers: MergedDetails['headers'], url: string | null): MergedDetails['headers'] {
  if (url === null || headers.some(([name]) => name.toLowerCase() === 'list-unsubscribe')) return headers;
  const others = headers.filter(([name]) => name.toLowerCase() !== 'list-unsubscribe-post');
  return [...others, ['List-Unsubscribe', `<${url}>`], ['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click']];
}
