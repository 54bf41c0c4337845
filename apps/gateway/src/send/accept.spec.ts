import { decodeEvent, type RawRecord, type Shared } from '@lettermill/events';
import { LogUnavailable, type EventPublisher } from '@lettermill/log';
import { Problem } from '@lettermill/problems';
import { RequestFiles, type UploadedFile } from '../attachments/request.files';
import type { Attachments } from '../attachments/attachments';
import { NO_FILES, type CampaignsView, type KnownCampaign } from '../campaigns/campaigns.view';
import { Accept } from './accept';
import { messagesAccepted } from './accept.metrics';
import type { Claims } from './claims';
import { Preparation } from './preparation';
import { sharedText, type RequestContent } from './request.content';
import type { SendCall } from './send.request';

interface Ack {
  request_id: string;
  messages: { message_id: string }[];
}

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
    claimed?: object;
    storing?: Promise<void>;
  } = {},
) {
  const asked: object[] = [];
  const appended: RawRecord[] = [];
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
    take: (claim: object) => {
      asked.push(claim);
      if (faults.claimed && 'do' in faults.claimed) return Promise.resolve(faults.claimed);
      const isStillHeld = () => Promise.resolve(!faults.lost);
      return Promise.resolve({ granted: { claim: { ...claim, ...faults.claimed }, isStillHeld } });
    },
    confirm: () => step('confirm').then(() => faults.storing),
    release: () => step('release', faults.giveBack).then(() => faults.storing),
    abandon: () => step('abandon', faults.giveBack),
  };
  const append = (records: RawRecord[]) => {
    appended.push(...records);
    return step('append', faults.append);
  };
  const publisher = { append };
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
  return { accept, steps, asked, appended };
}

describe('accepting a request that has names', () => {
  it('appends the records before it confirms the names', async () => {
    const { accept, steps } = newAccept();
    const { ack, requestId, replayed } = await accept.accept(call);
    expect(requestId).toBe('r');
    expect(steps).toEqual(['append', 'confirm']);
    expect(JSON.parse(ack)).toMatchObject({
      request_id: 'r',
      messages: [{ contact_key: { email: 'ada@example.com' } }],
    });
    expect(replayed).toBe(false);
  });

  it('refuses query parameters beside all other faults, and claims nothing', async () => {
    for (const [body, ...others] of [
      [PLAIN_BODY],
      [
        { ...PLAIN_BODY, to: 'bad' },
        { pointer: '/to', code: 'invalid_email' },
      ],
    ]) {
      const { accept, steps, asked } = newAccept();
      await expect(accept.accept({ ...call, body, parameters: ['dry_run', 'a/b'] })).rejects.toMatchObject({
        code: 'validation_failed',
        faults: [
          { pointer: '/query/dry_run', code: 'unknown_property' },
          { pointer: '/query/a~1b', code: 'unknown_property' },
          ...others,
        ],
      });
      expect([steps, asked]).toEqual([[], []]);
    }
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
    const body = { ...PLAIN_BODY, profile_data: { large: 'x'.repeat(17_000) } };
    await expect(accept.accept({ ...call, body })).rejects.toMatchObject({ code: 'request_in_progress' });
    // Asked last: what comes before it may take long.
    expect(steps).toEqual(['shared', 'release']);
  });
});

describe('a request whose names are claimed', () => {
  const body = {
    campaign: 'order',
    to: [{ contact_key: 'ada@example.com', external_message_id: 'x' }, 'b@example.com'],
  };
  const named = { ...call, body };

  it('is claimed with its names and its fingerprint, and appended as it was claimed', async () => {
    const count = async () => (await messagesAccepted.get()).values[0]!.value;
    const before = await count();
    const { accept, asked, appended } = newAccept();
    const { ack } = await accept.accept(named);
    const { request_id, messages } = JSON.parse(ack) as Ack;
    const messageIds = messages.map(({ message_id }) => message_id);
    expect(asked).toEqual([
      {
        accountId: 'a',
        requestId: 'r',
        messageIds,
        names: [
          { kind: 'external', value: 'x', messageId: messageIds[0], contact: expect.any(String) as string },
          { kind: 'key', value: 'k', messageId: null },
        ],
        fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      },
    ]);
    const told = appended.map((record) => decodeEvent({ ...record, partition: 0, position: 0 }).data);
    const common = { account_id: 'a', request_id, accepted_at: new Date(1_800_000_000_000).toISOString() };
    expect(told).toMatchObject(messageIds.map((message_id) => ({ ...common, message_id })));
    expect((await count()) - before).toBe(2);
  });

  it.each([false, true])(
    'is answered once its names are confirmed, or free again; refused: %s',
    async (unknownCampaign) => {
      let stored = () => {};
      const storing = new Promise<void>((resolve) => (stored = resolve));
      const { accept, steps } = newAccept({ unknownCampaign, storing });
      const answer = accept.accept(call).then(
        () => steps.push('answered'),
        () => steps.push('refused'),
      );
      await new Promise(setImmediate);
      expect(steps).toEqual(unknownCampaign ? ['release'] : ['append', 'confirm']);
      stored();
      await answer;
      expect(steps.at(-1)).toBe(unknownCampaign ? 'refused' : 'answered');
    },
  );

  it('goes on with the ids of the request that it takes over', async () => {
    const first = { requestId: 'first', messageIds: ['M'.repeat(18), 'N'.repeat(18)] };
    const { accept, steps } = newAccept({ claimed: first });
    const { ack, requestId } = await accept.accept(named);
    const { request_id, messages } = JSON.parse(ack) as Ack;
    expect(requestId).toBe('first');
    expect([request_id, messages.map(({ message_id }) => message_id)]).toEqual(['first', first.messageIds]);
    expect(steps).toEqual(['append', 'confirm']);
  });

  it('is answered by what became of the first one that has them, and appends nothing', async () => {
    const answerTo = async (claimed: object) => {
      const { accept, steps } = newAccept({ claimed });
      const answer = await accept.accept(named).catch((error: unknown) => error);
      expect(steps).toEqual([]);
      return answer;
    };
    const first = { ack: '{"first":1}', requestId: 'first' };
    expect(await answerTo({ do: 'replay', ...first })).toEqual({ ...first, replayed: true });
    expect(await answerTo({ do: 'refuse-key' })).toMatchObject({
      code: 'idempotency_key_reused',
      faults: [{ pointer: '', code: 'body_differs' }],
    });
    expect(await answerTo({ do: 'wait', retryAfterS: 7 })).toMatchObject({
      code: 'request_in_progress',
      headers: { 'retry-after': '7' },
    });
    const taken = [{ value: 'x', messageId: 'M' }];
    expect(await answerTo({ do: 'refuse-ids', taken })).toMatchObject({
      code: 'validation_failed',
      faults: [{ pointer: '/to/0/external_message_id', code: 'external_message_id_taken', message_id: 'M' }],
    });
  });
});

describe('accepting a request', () => {
  const { idempotencyKey: _key, ...unnamed } = call;
  const profileOf = (bytes: number) => ({
    ...unnamed,
    body: { ...PLAIN_BODY, profile_data: { a: 'x'.repeat(bytes) } },
  });

  it.each([
    ['accepted', {}, { replayed: false }, ['append', 'confirm']],
    ['refused', { unknownCampaign: true }, { code: 'validation_failed' }, ['release']],
    ['not written', { append: new LogUnavailable('away') }, { message: 'away' }, ['append', 'abandon']],
  ])('discards its uploaded files once it is %s, and answers the same if that fails', async (_, faults, told, done) => {
    const { accept, steps } = newAccept(faults);
    const uploads = ['one', 'two'].map((part): UploadedFile => {
      const discard = () => Promise.reject(new Error(String(steps.push(part))));
      const read = () => Promise.reject(new Error('unused'));
      const draft = { blob: part, size: 1, read, commit: () => Promise.resolve(), discard };
      return { part, fileName: 'f', contentType: undefined, draft };
    });
    const answer = await accept.accept({ ...call, uploads }).catch((error: unknown) => error);
    expect(answer).toMatchObject(told);
    expect(steps).toEqual([...done, 'one', 'two']);
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
