import { Controller, Get, Put, Req, Res, UseGuards } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Problem } from '@lettermill/problems';
import type { AccountRequest, BodyRequest } from '@lettermill/runtime';
import type { FastifyReply } from 'fastify';
import { ID_PATTERN, SLUG_PATTERN } from '@lettermill/contract';
import { Paged } from '../docs/paged';
import { Forward } from '../owners/forward';
import { LAUNCH_EXAMPLES } from '../docs/launch.examples';
import { ParametersGuard } from '../parameters/parameters.guard';
import { CampaignsView, type LaunchedCampaign } from './campaigns.view';
import { Launches } from './launches';

/** A campaign's id could also be a valid slug, so one pattern fits both. */
const SLUG_SCHEMA = { type: 'string', pattern: SLUG_PATTERN } as const;
const CAMPAIGN_SCHEMA = { schema: { $ref: '#/components/schemas/Campaign' } };

/** Campaigns belong to the renderer. Before the gateway answers a launch, it takes it into its own view. */
@ApiTags('campaigns')
@Controller('v2/campaigns')
@UseGuards(ParametersGuard)
export class CampaignsController {
  constructor(
    private readonly forward: Forward,
    private readonly launches: Launches,
    private readonly view: CampaignsView,
  ) {}

  @Put(':campaign')
  @ApiOperation({
    operationId: 'launchCampaign',
    summary: 'Launch a campaign, or a new version of it',
    description:
      'Launching the same content again makes no new version. A version never changes, whatever the addresses of its files serve later.',
  })
  @ApiParam({ name: 'campaign', description: 'Slug of the campaign', schema: SLUG_SCHEMA })
  @ApiBody({ schema: { $ref: '#/components/schemas/CampaignLaunch' }, examples: LAUNCH_EXAMPLES })
  @ApiResponse({ status: 201, description: 'A new campaign', ...CAMPAIGN_SCHEMA })
  @ApiResponse({
    status: 200,
    description: 'A new version, or the newest one if the content is the same',
    ...CAMPAIGN_SCHEMA,
  })
  async launch(@Req() request: AccountRequest & BodyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (request.headers['content-type'] === undefined) throw new Problem('body_missing', 'The request has no body.');
    const answer = await this.launches.launch(request);
    if (answer.status < 300)
      this.view.learn(request.accountId!, JSON.parse(answer.body.toString()) as LaunchedCampaign);
    this.forward.answer(answer, reply);
  }

  @Get()
  @ApiOperation({ operationId: 'listCampaigns', summary: 'Campaigns, newest first' })
  @Paged({ type: 'string', pattern: ID_PATTERN })
  @ApiResponse({
    status: 200,
    description: 'A page of campaigns',
    schema: { $ref: '#/components/schemas/CampaignList' },
  })
  list(@Req() request: AccountRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.forward.to('renderer', request, reply);
  }

  @Get(':campaign')
  @ApiOperation({ operationId: 'getCampaign', summary: 'The newest version of one campaign, by slug or id' })
  @ApiParam({ name: 'campaign', description: 'Slug or id of the campaign', schema: SLUG_SCHEMA })
  @ApiResponse({ status: 200, description: 'The campaign', ...CAMPAIGN_SCHEMA })
  get(@Req() request: AccountRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.forward.to('renderer', request, reply);
  }
}
