import { Body, Controller, Get, Inject, Param, Put, Query, Res, UseGuards } from '@nestjs/common';
import { Problem, validationFailed } from '@lettermill/problems';
import { AccountId, InternalGuard } from '@lettermill/runtime';
import type { FastifyReply } from 'fastify';
import { Bodies } from '../bodies/bodies';
import { campaignAnswer, namesOf, type CampaignAnswer, type CampaignVersion } from './campaign';
import { CampaignLauncher } from './campaign.launcher';
import { CAMPAIGN_STORE, type CampaignStore } from './campaigns.store';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

function limitOf(text: string | undefined): number {
  if (text === undefined) return DEFAULT_LIMIT;
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MAX_LIMIT) return limit;
  const detail = `limit must be a whole number from 1 to ${MAX_LIMIT}`;
  throw validationFailed([{ pointer: '/limit', code: 'not_allowed_value', detail }]);
}

function cursorOf(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (/^[A-Za-z0-9]{18}$/.test(text)) return text;
  throw validationFailed([
    { pointer: '/cursor', code: 'bad_format', detail: 'cursor must be a next_cursor as answered' },
  ]);
}

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

  /** Newest first, without text and html: those of a hundred campaigns would be a hundred megabytes. */
  @Get()
  async list(
    @AccountId() accountId: string,
    @Query('limit') limit?: string,
    @Query('cursor') cursor?: string,
  ): Promise<{ data: CampaignAnswer[]; next_cursor: string | null }> {
    const count = limitOf(limit);
    const page = await this.store.page(accountId, count + 1, cursorOf(cursor));
    const shown = page.slice(0, count);
    return {
      data: shown.map((campaign) => campaignAnswer(campaign)),
      next_cursor: page.length > count ? shown.at(-1)!.id : null,
    };
  }

  @Get(':campaign')
  async get(@AccountId() accountId: string, @Param('campaign') slugOrId: string): Promise<CampaignAnswer> {
    for (const name of namesOf(slugOrId)) {
      const campaign = await this.store.latest(accountId, name);
      if (campaign) return this.answer(campaign);
    }
    throw new Problem('not_found', 'No campaign of that name or id was launched here.');
  }

  private async answer({ launched }: CampaignVersion): Promise<CampaignAnswer> {
    const { text, html } = launched.message;
    const read = (body: typeof text) => (body === undefined ? undefined : this.bodies.text(launched.account_id, body));
    return campaignAnswer(launched, { text: await read(text), html: await read(html) });
  }
}
