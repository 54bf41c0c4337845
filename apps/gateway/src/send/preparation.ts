import { Injectable } from '@nestjs/common';
import type { SendEmailRequest } from '@lettermill/contract';
import type { Shared } from '@lettermill/events';
import { validationFailed, type Fault } from '@lettermill/problems';
import { Attachments } from '../attachments/attachments';
import type { RequestFiles } from '../attachments/request.files';
import { campaignName, CampaignsView, NO_FILES, type KnownCampaign } from '../campaigns/campaigns.view';
import { parameterFaults } from '../parameters/parameter.faults';
import type { TakenId } from './claims.store';
import { requestFaults, allTemplateFaults, unknownCampaign } from './request.faults';
import { holdsMjml, RequestContent, sharedFitsInEvent, sharedText } from './request.content';
import { acceptedMessages, type AcceptedMessage, type PreparedRequest } from './request.records';
import { bringsFiles, bringsTexts, type SendCall, type SendRequest } from './send.request';

/**
 * What the recipients of a request share, except for what has to be stored first. A new field of the contract does not compile until the
 * event has a place for it (`Shared`), or it is left out here because only the gateway reads it.
 */
function dataOf({
  campaign: _campaign,
  to: _to,
  message: _message,
  attachments: _attachments,
  ...data
}: SendEmailRequest): Omit<Shared, 'message' | 'attachments'> {
  const placed: { [Field in keyof typeof data]: Field extends keyof Shared ? Shared[Field] : never } = data;
  return placed;
}

/** Everything that has to happen before the messages of a request can be appended to the log, except claiming its names. */
@Injectable()
export class Preparation {
  constructor(
    private readonly campaigns: CampaignsView,
    private readonly attachments: Attachments,
    private readonly content: RequestContent,
  ) {}

  /**
   * All faults of the call. `taken` looks up used ids. If the campaign cannot be looked up, it counts as known, so that all other faults
   * are reported.
   */
  async faults(call: SendCall, taken: (ids: string[]) => Promise<TakenId[]>): Promise<Fault[]> {
    const { attachments, campaigns } = this;
    const { accountId, body, uploads } = call;
    const ofBody = await requestFaults(body, {
      accountId,
      taken,
      campaign: (name) => campaigns.find(accountId, name, call).catch(() => ({ files: NO_FILES })),
      files: (asked) => attachments.faults({ ...asked, uploads }),
    });
    return [...parameterFaults(call.parameters ?? []), ...ofBody];
  }

  /** The request's messages without any waiting, if it brings only data and its campaign is known; else undefined. */
  prepareAtOnce(request: SendRequest): PreparedRequest | undefined {
    const { accountId, body, recipients, messageIds } = request;
    if (bringsFiles(request) || bringsTexts(request)) return undefined;
    const campaign = this.campaigns.known(accountId, campaignName(body.campaign));
    if (!campaign) return undefined;
    const sharedJson = sharedText(dataOf(body));
    if (sharedJson !== undefined && !sharedFitsInEvent(sharedJson)) return undefined;
    return { campaign, messages: acceptedMessages(recipients, messageIds), sharedJson };
  }

  /** Everything before the append: throws what is refused, and stores what does not go onto the log. */
  async prepare(request: SendRequest): Promise<PreparedRequest> {
    const campaign = await this.checkedCampaign(request);
    if (!bringsFiles(request)) return this.contentOf(request, campaign);
    const files = await this.attachments.find(request, campaign.files);
    try {
      if (files.faults.length > 0) throw validationFailed(files.faults, 'accepted');
      return await this.contentOf(request, campaign, files);
    } finally {
      await files.discard();
    }
  }

  /**
   * Rules that need more than the request itself: the campaign, the files and their sizes over all levels, and templates. No address has
   * been fetched yet: a request that is refused anyway must not use up an address that can be fetched only once.
   */
  private async checkedCampaign(request: SendRequest): Promise<KnownCampaign> {
    const { accountId, body, uploads } = request;
    const name = campaignName(body.campaign);
    const campaign = await this.campaigns.find(accountId, name, request);
    const faults: Fault[] = campaign ? [] : [unknownCampaign(name)];
    if (bringsFiles(request)) {
      faults.push(...this.attachments.faults({ body, uploads, ofCampaign: campaign?.files ?? NO_FILES }));
    }
    if (bringsTexts(request)) faults.push(...(await allTemplateFaults(accountId, body)));
    if (faults.length > 0) throw validationFailed(faults, 'accepted');
    return campaign!;
  }

  private async contentOf(
    { accountId, body, recipients, messageIds }: SendRequest,
    campaign: KnownCampaign,
    files?: RequestFiles,
  ): Promise<PreparedRequest> {
    const messages = acceptedMessages(recipients, messageIds);
    const overridden = messages.filter(({ recipient }) => recipient.message || recipient.attachments);
    if (overridden.length > 0) await this.addOverrides(accountId, overridden, files);
    return { campaign, messages, sharedJson: await this.sharedJsonOf(accountId, body, files) };
  }

  /** MJML has to be compiled: those recipients are handled one after the other, so that other requests get their turns. */
  private async addOverrides(accountId: string, overridden: AcceptedMessage[], files?: RequestFiles): Promise<void> {
    const withMjml = overridden.filter(({ recipient }) => holdsMjml(recipient.message));
    const others = overridden.filter(({ recipient }) => !holdsMjml(recipient.message));
    await Promise.all(others.map((one) => this.addOverridesOf(accountId, one, files)));
    for (const one of withMjml) await this.addOverridesOf(accountId, one, files);
  }

  /** What a recipient brings besides data: overrides and files. */
  private async addOverridesOf(accountId: string, accepted: AcceptedMessage, files?: RequestFiles): Promise<void> {
    const { message, attachments } = accepted.recipient;
    accepted.message = await this.content.details(accountId, message);
    accepted.attachments = await files?.storeNamed(attachments);
  }

  private async sharedJsonOf(
    accountId: string,
    body: SendEmailRequest,
    files?: RequestFiles,
  ): Promise<string | undefined> {
    const message = await this.content.details(accountId, body.message);
    const attachments = await files?.storeShared(body.attachments);
    return this.content.shared(accountId, { ...dataOf(body), message, attachments });
  }
}
