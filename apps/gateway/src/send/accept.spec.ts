import type { Shared } from '@lettermill/events';
import { LogUnavailable, type EventPublisher } from '@lettermill/log';
import { Problem } from '@lettermill/problems';
import { RequestFiles, type UploadedFile } from '../attachments/request.files';
import type { Attachments } from '../attachments/attachments';
import { NO_FILES, type CampaignsView, type KnownCampaign } from '../campaigns/campaigns.view';
import { Accept } from './accept';
import type { Claims } from './claims';
import { Preparation } from './preparation';
import { sharedText, type RequestContent } from './request.content';
import type { SendCall } from './send.request';

const KNOWN_CAMPAIGN: KnownCampaign = {
  id: 'C'.repeat(18),
  slug: 'order',
  version: 1,
  priority: 'normal' as const,
  files: NO_FILES,
};
const PLAIN_BODY = { campaign: 'order', to: 'ada@example.com' };
const call: SendCall = {
  accountId: 'a',
  requestId: 'r',
  body: PLAIN_BODY,
  idempotencyKey: 'k',
};

/** The service with parts that fail as `faults` says; `steps` records what was done, in order. */
function newAccept(
  faults: Partial<Record<'campaigns' | 'append' | 'giveBack' | 'taken', Error>> & {
    unknownCampaign?: boolean;
    lost?: boolean;
    knownAtOnce?: boolean;
  } = {},
) {
  const steps: string[] = [];
  const step = (name: string, error?: Error) => {
    steps.push(name);
    return error ? Promise.reject(error) : Promise.resolve();
  };
  const found = faults.unknownCampaign ? undefined : KNOWN_CAMPAIGN;
  const find = () => (faults.campaigns ? Promise.reject(faults.campaigns) : Promise.resolve(found));
  const campaigns = { known: () => (faults.knownAtOnce ? KNOWN_CAMPAIGN : undefined), find };
  const attachments = { faults: () => [], find: () => Promise.resolve(new RequestFiles()) };
  const shared = (_account: string, part: Shared) => (sharedText(part) ? step('shared') : Promise.resolve());
  const content = { details: () => Promise.resolve(undefined), shared };
  const claims = {
    taken: () => (faults.taken ? Promise.reject(faults.taken) : Promise.resolve([])),
    take: (claim: object) => Promise.resolve({ granted: { claim, isStillHeld: () => Promise.resolve(!faults.lost) } }),
    confirm: () => step('confirm'),
    release: () => step('release', faults.giveBack),
    abandon: () => step('abandon', faults.giveBack),
  };
  const publisher = { append: () => step('append', faults.append) };
  const preparation = new Preparation(
    campaigns as unknown as CampaignsView,
    attachments as unknown as Attachments,
    content as unknown as RequestContent,
  );
  const accept = new Accept(
    preparation,
    claims as unknown as Claims,
    publisher as unknown as EventPublisher,
    () => 1_800_000_000_000,
  );
  return { accept, steps };
}

describe('accepting a request that has names', () => {
  it('appends the records before it confirms the names', async () => {
    const { accept, steps } = newAccept();
    const { ack, replayed } = await accept.accept(call);
    expect(steps).toEqual(['append', 'confirm']);
    expect(JSON.parse(ack)).toMatchObject({
      request_id: 'r',
      messages: [{ contact_key: { email: 'ada@example.com' } }],
    });
    expect(replayed).toBe(false);
  });

  it('releases the names of a refused request', async () => {
    const { accept, steps } = newAccept({ unknownCampaign: true });
    await expect(accept.accept(call)).rejects.toBeInstanceOf(Problem);
    expect(steps).toEqual(['release']);
  });

  it('releases the names if the request fails before anything is appended', async () => {
    const { accept, steps } = newAccept({ campaigns: new Error('owner away') });
    await expect(accept.accept(call)).rejects.toThrow('owner away');
    expect(steps).toEqual(['release']);
  });

  it('releases the names if the log reports that nothing was written', async () => {
    const { accept, steps } = newAccept({ append: new LogUnavailable('no space', { unwritten: true }) });
    await expect(accept.accept(call)).rejects.toThrow('no space');
    expect(steps).toEqual(['append', 'release']);
  });

  it.each([new LogUnavailable('away'), Object.assign(new Error('away'), { unwritten: true })])(
    'keeps the names once the messages may be on the log, but lets a retry take over: %s',
    async (append) => {
      const { accept, steps } = newAccept({ append });
      await expect(accept.accept(call)).rejects.toBe(append);
      expect(steps).toEqual(['append', 'abandon']);
    },
  );

  it('reports the first failure if the names cannot be released either', async () => {
    const { accept } = newAccept({ append: new LogUnavailable('away'), giveBack: new Error('store away') });
    await expect(accept.accept(call)).rejects.toThrow(/^away$/);
  });

  it('appends nothing once another request has taken over one of its names', async () => {
    const { accept, steps } = newAccept({ lost: true });
    await expect(accept.accept(call)).rejects.toMatchObject({ code: 'request_in_progress' });
    expect(steps).toEqual(['release']);
  });
});

describe('accepting a request', () => {
  const { idempotencyKey: _key, ...unnamed } = call;
  const profileOf = (bytes: number) => ({
    ...unnamed,
    body: { ...PLAIN_BODY, profile_data: { a: 'x'.repeat(bytes) } },
  });

  it.each([
    ['accepted', {}],
    ['refused', { unknownCampaign: true }],
    ['not written', { append: new LogUnavailable('away') }],
  ])('discards its uploaded files once it is %s', async (_outcome, faults) => {
    const discarded: string[] = [];
    const upload = (part: string): UploadedFile => {
      const draft = { blob: part, size: 1, discard: () => Promise.resolve(void discarded.push(part)) };
      return { part, fileName: 'a.txt', contentType: undefined, draft: draft as unknown as UploadedFile['draft'] };
    };
    const { accept } = newAccept(faults);
    await accept.accept({ ...call, uploads: [upload('one'), upload('two')] }).catch(() => undefined);
    expect(discarded).toEqual(['one', 'two']);
  });

  it('stores what recipients share before the append if it is too large for a record', async () => {
    const { accept, steps } = newAccept({ knownAtOnce: true });
    await accept.accept(profileOf(1_000));
    expect(steps).toEqual(['append']);
    await accept.accept(profileOf(17_000));
    expect(steps).toEqual(['append', 'shared', 'append']);
  });

  it('reports what is wrong with it even if used ids or the campaign cannot be looked up', async () => {
    const { accept } = newAccept({ taken: new Error('store away'), campaigns: new Error('owner away') });
    const body = { campaign: 'order', to: { contact_key: 'nobody', external_message_id: 'order-1' } };
    const refused = accept.accept({ ...call, body });
    await expect(refused).rejects.toMatchObject({
      code: 'validation_failed',
      faults: [{ pointer: '/to/contact_key' }],
    });
  });
});
