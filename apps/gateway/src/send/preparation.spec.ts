import { recipientsOf, type SendEmailRequest } from '@lettermill/contract';
import type { Fault } from '@lettermill/problems';
import { closeSharedCompiler } from '@lettermill/templates';
import { Preparation } from './preparation';
import { sharedText } from './request.content';
import type { SendRequest } from './send.request';

const CAMPAIGN = {
  id: 'C'.repeat(18),
  slug: 'order',
  version: 1,
  priority: 'normal',
  files: { bytes: 7, cids: ['c'] },
};
const FILE = { attachment_type: 'file' as const, file_name: 'f', data: 'QQ==' };
const FAULT: Fault = { pointer: '/attachments/0', code: 'attachments_too_large', detail: 'too large' };

/** With files that have the faults given, as they are before any is fetched and after; `steps` records what is done, in order. */
function newPreparation(faults: { before?: Fault[]; found?: Fault[]; isUnknown?: boolean } = {}) {
  const steps: unknown[] = [];
  const step = <T>(name: string, result: T) => {
    steps.push(name);
    return result;
  };
  const campaign = faults.isUnknown ? undefined : CAMPAIGN;
  const files = {
    faults: faults.found ?? [],
    storeShared: (asked?: object[]) => Promise.resolve(asked && step('store shared', [{ blob: 'shared' }])),
    storeNamed: (asked?: object[]) => Promise.resolve(asked && step('store own', [{ blob: 'own' }])),
    discard: () => Promise.resolve(step('discard', undefined)),
  };
  const preparation = new Preparation(
    { known: () => campaign, find: () => Promise.resolve(campaign) } as never,
    {
      faults: (asked: object) => step(JSON.stringify(asked), faults.before ?? []),
      find: (_request: object, of: object) => Promise.resolve(step(`find beside ${JSON.stringify(of)}`, files)),
    } as never,
    {
      details: (account: string, message?: object) => Promise.resolve(message && { ...message, of: account }),
      shared: (account: string, part: object) => Promise.resolve(`${account}: ${sharedText(part as never)}`),
    } as never,
  );
  return { preparation, steps };
}

function requestOf(more: Partial<SendEmailRequest>, uploads?: object[]): SendRequest {
  const body: SendEmailRequest = { campaign: 'order', to: 'ada@x.org', ...more };
  const recipients = recipientsOf(body);
  const messageIds = recipients.map((_, at) => `m${at}`);
  return { accountId: 'a', requestId: 'r', body, recipients, messageIds, uploads } as unknown as SendRequest;
}

const contactKeyJson = '{"email":"ada@x.org"}';

describe('the preparation of a request', () => {
  afterAll(closeSharedCompiler);

  it('needs no waiting for data of a known campaign', () => {
    const { preparation } = newPreparation();
    const prepared = preparation.prepareAtOnce(requestOf({ profile_data: { a: 1 } }));
    const messages = [{ messageId: 'm0', contactKeyJson }];
    expect(prepared).toMatchObject({ campaign: CAMPAIGN, messages, sharedJson: '{"profile_data":{"a":1}}' });
    expect(preparation.prepareAtOnce(requestOf({}))!.sharedJson).toBeUndefined();
  });

  it.each([
    ['an unknown campaign', {}, true],
    ['texts', { message: { subject: 'S' } }, false],
    ['files', { attachments: [FILE] }, false],
    ['more data than an event takes', { profile_data: { a: 'x'.repeat(16_384) } }, false],
  ])('has to wait with %s', (_what, more, isUnknown) => {
    expect(newPreparation({ isUnknown }).preparation.prepareAtOnce(requestOf(more))).toBeUndefined();
  });

  it('checks, finds and stores the files of every level, and discards what is left of them', async () => {
    const { preparation, steps } = newPreparation();
    const own = { contact_key: 'ada@x.org', attachments: [FILE] };
    const { messages, sharedJson } = await preparation.prepare(
      requestOf({ attachments: [FILE], to: [own, 'b@x.org'] }, [{ part: 'p' }]),
    );
    expect(messages.map(({ attachments }) => attachments)).toEqual([[{ blob: 'own' }], undefined]);
    expect(sharedJson).toBe('a: {"attachments":[{"blob":"shared"}]}');
    expect(steps).toEqual([
      expect.stringMatching(
        /"attachments":\[.*"uploads":\[\{"part":"p"\}\].*"ofCampaign":\{"bytes":7,"cids":\["c"\]\}/,
      ),
      'find beside {"bytes":7,"cids":["c"]}',
      'store own',
      'store shared',
      'discard',
    ]);
  });

  it('takes the texts of every level, those in MJML too', async () => {
    const { preparation, steps } = newPreparation();
    const mjml = '<mjml><mj-body></mj-body></mjml>';
    const to = [{ subject: 'own' }, { html: mjml }, undefined].map((message, at) => ({
      contact_key: `${at}@x.org`,
      ...(message && { message }),
    }));
    const { messages, sharedJson } = await preparation.prepare(requestOf({ message: { text: 'all' }, to }));
    expect(messages.map(({ message }) => message)).toEqual([
      { subject: 'own', of: 'a' },
      { html: mjml, of: 'a' },
      undefined,
    ]);
    expect(sharedJson).toBe('a: {"message":{"text":"all","of":"a"}}');
    expect(steps).toEqual([]);
  });

  it('refuses with all that is wrong before it fetches anything, and with faults of what was fetched', async () => {
    const broken = requestOf({ attachments: [FILE], message: { text: '{{' } });
    const { preparation, steps } = newPreparation({ before: [FAULT], isUnknown: true });
    const pointers = (...all: string[]) => ({ code: 'validation_failed', faults: all.map((pointer) => ({ pointer })) });
    await expect(preparation.prepare(broken)).rejects.toMatchObject(
      pointers('/campaign', '/attachments/0', '/message/text'),
    );
    expect(steps).toEqual([expect.stringContaining('"ofCampaign":{"bytes":0,"cids":[]}')]);
    const fetched = newPreparation({ found: [FAULT] });
    const refused = fetched.preparation.prepare(requestOf({ attachments: [FILE] }));
    await expect(refused).rejects.toMatchObject(pointers('/attachments/0'));
    expect(fetched.steps.slice(1)).toEqual([expect.stringContaining('find'), 'discard']);
  });
});
