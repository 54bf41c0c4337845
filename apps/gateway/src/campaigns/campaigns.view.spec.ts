import { decodeEvent, encodeEvent, type CampaignLaunched, type Copies } from '@lettermill/events';
import type { EventLog, FollowOptions, LogRecord, Subscription } from '@lettermill/log';
import type { Logger } from '@lettermill/runtime';
import pino from 'pino';
import { register } from 'prom-client';
import type { OwnerClient } from '../owners/owner.client';
import { acceptedMessages, requestRecords } from '../send/request.records';
import { campaignName, CampaignsView, type CampaignName, type KnownCampaign } from './campaigns.view';

const ID = 'C'.repeat(18);
const COPIES = { cc: [{ email: 'Cc@x.org', name: 'Cc' }], bcc: [{ email: 'bcc@x.org' }] };
const COPIES_WITHOUT_NAMES = { cc: [{ email: 'Cc@x.org' }], bcc: [{ email: 'bcc@x.org' }] };

const launched = (version: number, copies: Copies): CampaignLaunched => ({
  account_id: 'a',
  id: ID,
  slug: 'order',
  version,
  launched_at: '2026-03-01T12:00:00.000Z',
  name: null,
  from: { email: 'shop@x.org' },
  priority: 'normal',
  on_uncertain: 'retry',
  valid_for: null,
  message: { subject: 'Hi', ...copies },
  attachments: [],
  fingerprint: 'f',
});

/** A view that has read these launches; the renderer answers `owned` if given, else the status `otherwise`. */
async function viewOf(
  history: CampaignLaunched[],
  owned?: object,
  otherwise = 404,
  caughtUp: Subscription['caughtUp'] = () => Promise.resolve(true),
): Promise<CampaignsView> {
  const follow = async ({ onBatch }: FollowOptions) => {
    const records = history.map((data, position) => ({
      ...encodeEvent({
        id: `e${position}`,
        type: 'CampaignLaunched',
        source: 'renderer',
        time: '',
        key: 'a:order',
        data,
      }),
      partition: 0,
      position,
    }));
    const batch = { topic: 'campaign-launched', records: records as unknown as LogRecord[], stopping: false };
    await onBatch({ ...batch, heartbeat: () => Promise.resolve() });
    return { caughtUp };
  };
  const answer = owned ? { status: 200, body: Buffer.from(JSON.stringify(owned)) } : { status: otherwise };
  const view = new CampaignsView(
    { follow } as unknown as EventLog,
    { error: () => undefined } as unknown as Logger,
    { call: () => Promise.resolve(answer) } as unknown as OwnerClient,
  );
  await view.onApplicationBootstrap();
  return view;
}

/** The data of the record of a message of this campaign, as consumers read it. */
function requested(campaign: KnownCampaign): object {
  const recipient = { contactKey: { kind: 'email', value: 'ada@x.org' } } as Parameters<
    typeof acceptedMessages
  >[0][number];
  const messages = acceptedMessages([recipient], ['M'.repeat(18)]);
  const request = { accountId: 'a', requestId: 'r', acceptedAt: '2026-03-01T12:00:00.000Z' };
  const [record] = requestRecords(request, { campaign, messages });
  return decodeEvent({ ...record!, partition: 0, position: 0 }).data;
}

describe('the copies of a campaign', () => {
  it('are those of the newest launch, and go with its messages as addresses without names', async () => {
    const view = await viewOf([launched(1, {}), launched(2, COPIES), launched(1, { cc: [] })]);
    const campaign = view.known('a', { slug: 'order' })!;
    expect(requested(campaign)).toMatchObject({
      campaign: { id: ID, slug: 'order', version: 2 },
      campaign_copies: COPIES_WITHOUT_NAMES,
    });
  });

  it('are also read from the response of the service that owns the campaign', async () => {
    const { message, ...owned } = launched(1, {});
    const view = await viewOf([], { ...owned, ...message, ...COPIES });
    expect(requested((await view.find('a', { slug: 'order' }, {}))!)).toMatchObject({
      campaign_copies: COPIES_WITHOUT_NAMES,
    });
  });

  it.each(['cc', 'bcc'] as const)('may be of one kind only: %s', async (kind) => {
    const view = await viewOf([launched(1, { [kind]: COPIES[kind] })]);
    const bare = { [kind]: COPIES_WITHOUT_NAMES[kind] };
    expect(requested(view.known('a', { slug: 'order' })!)).toMatchObject({ campaign_copies: bare });
  });

  it('are absent if the campaign has none', async () => {
    for (const copies of [{}, { cc: [], bcc: [] }]) {
      const view = await viewOf([launched(1, copies)]);
      expect(requested(view.known('a', { slug: 'order' })!)).not.toHaveProperty('campaign_copies');
    }
  });
});

describe('the files of a campaign', () => {
  const logo = { blob: 'b'.repeat(64), size: 7, file_name: 'logo.png', content_type: 'image/png', cid: 'logo' };
  const { cid: _cid, ...terms } = logo;
  const campaign = { ...launched(1, {}), attachments: [logo, terms] };

  it('are known by their bytes and cids, from a launch and from the response of the owning service', async () => {
    for (const view of [await viewOf([campaign]), await viewOf([], campaign)])
      expect(await view.find('a', { slug: 'order' }, {})).toMatchObject({ files: { bytes: 14, cids: ['logo'] } });
  });
});

describe('a campaign that the view has', () => {
  it('is known by its slug and its id, whatever the slugs and ids of others are', async () => {
    const other = { ...launched(3, {}), id: 'D'.repeat(18), slug: ID, priority: 'high' as const };
    const view = await viewOf([launched(1, {}), other]);
    const versionOf = (name: CampaignName) => view.known('a', name)?.version;
    expect([{ slug: 'order' }, { id: ID }].map(versionOf)).toEqual([1, 1]);
    expect([{ slug: ID }, { id: other.id }].map(versionOf)).toEqual([3, 3]);
    expect([{ slug: other.id }, { id: 'order' }].map(versionOf)).toEqual([undefined, undefined]);
    expect(view.known('a', { id: other.id })).toMatchObject({ priority: 'high', files: { bytes: 0, cids: [] } });
    expect(view.known('b', { slug: 'order' })).toBeUndefined();
  });

  it('may be named by its slug alone', () => {
    expect(campaignName('order')).toEqual({ slug: 'order' });
    expect([{ id: ID }, { slug: 'order' }].map(campaignName)).toEqual([{ id: ID }, { slug: 'order' }]);
  });
});

describe('a campaign that the view lacks', () => {
  it('is requested from the owning service on behalf of the request that names it', async () => {
    const call = jest.fn().mockResolvedValue({ status: 404 });
    const view = new CampaignsView({} as EventLog, {} as Logger, { call } as unknown as OwnerClient);
    const cause = { requestId: 'r', traceparent: 't' };
    await view.find('a', { slug: 'order' }, { ...cause, body: 'of the request' } as typeof cause);
    const path = '/v2/campaigns/order';
    expect(call.mock.calls).toEqual([['renderer', { accountId: 'a', method: 'GET', path, ...cause }]]);
  });

  it('is requested from the owning service if its newest launch cannot be read, as one of a newer version may', async () => {
    const unread = { ...launched(2, {}), since_a_later_version: true };
    const view = await viewOf([launched(1, {}), unread], launched(2, {}));
    for (const name of [{ slug: 'order' }, { id: ID }]) expect(view.known('a', name)).toBeUndefined();
    expect(await view.find('a', { slug: 'order' }, {})).toMatchObject({ version: 2 });
  });

  it.each([404, 400])('is unknown if the owning service responds with %i', async (status) => {
    await expect((await viewOf([], undefined, status)).find('a', { slug: 'order' }, {})).resolves.toBeUndefined();
  });

  it('is unknown under an id that is the slug of another, and under a slug that is the id of another', async () => {
    const view = await viewOf([], { ...launched(1, {}), slug: 'S'.repeat(18) });
    expect(await view.find('a', { id: 'S'.repeat(18) }, {})).toBeUndefined();
    expect(await view.find('a', { slug: ID }, {})).toBeUndefined();
    expect(await view.find('a', { id: ID }, {})).toMatchObject({ id: ID });
  });

  it.each([500, 503])('is unavailable, not unknown, if the owning service responds with %i', async (status) => {
    const view = await viewOf([], undefined, status);
    await expect(view.find('a', { slug: 'order' }, {})).rejects.toMatchObject({ code: 'unavailable' });
  });
});

it('a scrape tells whether the view knows every launch on the log, and waits only briefly to find out', async () => {
  const caughtUp = jest.fn((_timeoutMs: number) => Promise.resolve(true));
  await viewOf([], undefined, 404, caughtUp);
  const current = async () => /^lettermill_campaigns_current (.*)$/m.exec(await register.metrics())?.[1];
  expect(await current()).toBe('1');
  caughtUp.mockResolvedValue(false);
  expect(await current()).toBe('0');
  expect(caughtUp.mock.calls.at(-1)).toEqual([1_500]);
});

it('the view follows the launches until the process ends, and says if it does not know them all at the start', async () => {
  const [warn, close] = [jest.fn(), jest.fn(() => Promise.resolve())];
  const follow = jest.fn((_options: FollowOptions) =>
    Promise.resolve({ caughtUp: () => Promise.resolve(false), close }),
  );
  const view = new CampaignsView({ follow } as unknown as EventLog, { warn } as unknown as Logger, {} as OwnerClient);
  await view.onApplicationBootstrap();
  expect(follow.mock.calls[0]![0].topics).toEqual(['campaign-launched']);
  expect([warn.mock.calls.length, close.mock.calls.length]).toEqual([1, 0]);
  await view.onApplicationShutdown();
  expect(close).toHaveBeenCalledTimes(1);
});

it('the view skips a record that is not JSON, and logs its position but not its content', async () => {
  const lines: object[] = [];
  const headers = { ce_type: 'CampaignLaunched', ce_id: 'e' };
  const record = { topic: 'campaign-launched', key: 'k', headers, partition: 2, position: 7 };
  const follow = async ({ onBatch }: FollowOptions) => {
    const records = [{ ...record, value: Buffer.from('ada@x.org, hello') }] as unknown as LogRecord[];
    const batch = { topic: record.topic, records, stopping: false };
    await onBatch({ ...batch, heartbeat: () => Promise.resolve() } as Parameters<typeof onBatch>[0]);
    return { caughtUp: () => Promise.resolve(true) };
  };
  const logger = pino({ base: undefined }, { write: (line: string) => void lines.push(JSON.parse(line) as object) });
  await new CampaignsView({ follow } as unknown as EventLog, logger, {} as OwnerClient).onApplicationBootstrap();
  expect(lines).toMatchObject([{ level: 50, code: 'event_not_json', partition: 2, position: 7 }]);
  expect(JSON.stringify(lines)).not.toContain('ada');
});
