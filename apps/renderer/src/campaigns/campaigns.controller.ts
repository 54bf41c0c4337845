import { Body, Controller, Get, Inject, Param, Put, Query, Res, UseGuards } from '@nestjs/common';
import { Problem } from '@lettermill/problems';
import { AccountId, InternalGuard, pageOf, readPageQuery, type Page } from '@lettermill/runtime';
import type { FastifyReply } from 'fastify';
import { isId } from '@lettermill/contract';
import { Bodies } from '../bodies/bodies';
import { campaignAnswer, namesOf, type CampaignAnswer, type CampaignVersion } from './campaign';
import { CampaignLauncher } from './campaign.launcher';
import { CAMPAIGN_STORE, type CampaignStore } from './campaigns.store';

/** A cursor is the id of the last campaign of the previous page. */
const parseCursor = (cursor: string) => (isId(cursor) ? cursor : undefined);

/** The owner's side of /v2/campaigns; the gateway forwards to it. */
@Controller('v2/campaigns')
@UseGuards(InternalGuard)
export class CampaignsController {
  constructor(
    private readonly launcher: CampaignLauncher,
    private readonly bodies: Bodies,
    @Inject(CAMPAIGN_STORE) private readonly store: CampaignStore,
  ) {}

  @Put(':slug')
  async launch(
    @AccountId() accountId: string,
    @Param('slug') slug: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CampaignAnswer> {
    const { created, campaign } = await this.launcher.launch(accountId, slug, body);
    void reply.status(created ? 201 : 200);
    return this.answer(campaign);
  }

  /** Newest first, without text and html: those of a hundred campaigns could be a hundred megabytes. */
  @Get()
  async list(@AccountId() accountId: string, @Query() query: Record<string, unknown>): Promise<Page<CampaignAnswer>> {
    const { limit, after } = readPageQuery(query, parseCursor);
    const found = await this.store.page(accountId, limit + 1, after);
    return pageOf(found, limit, campaignAnswer, ({ id }) => id);
  }

  @Get(':campaign')
  async get(@AccountId() accountId: string, @Param('campaign') slugOrId: string): Promise<CampaignAnswer> {
    for (const name of namesOf(slugOrId)) {
      const campaign = await this.store.latest(accountId, name);
      if (campaign) return this.answer(campaign);
    }
    throw new Problem('not_found', 'The account has no campaign with this slug or id.');
  }

  private async answer({ launched }: CampaignVersion): Promise<CampaignAnswer> {
    const { text, html } = launched.message;
    const read = (body: typeof text) => (body === undefined ? undefined : this.bodies.text(launched.account_id, body));
    return campaignAnswer(launched, { text: await read(text), html: await read(html) });
  }
}
