import type { CampaignLaunch, EmailValue } from '@lettermill/contract';
import type { CampaignLaunched } from '@lettermill/events';
import * as fc from 'fast-check';
import { RendererHarness } from '../testing/renderer.harness';

const address = fc.constantFrom<EmailValue[]>(
  'a@x.test',
  { email: 'a@x.test' },
  { email: 'b@x.test' },
  { email: 'c@x.test', name: 'C' },
);
const copies = fc.uniqueArray(address, { maxLength: 3, selector: (one) => JSON.stringify(one) });
const file = fc.record(
  {
    attachment_type: fc.constant('file'),
    file_name: fc.constantFrom('a.txt', 'logo.gif'),
    data: fc.constantFrom('', 'QQ==', 'Qg==', 'R0lGODlh'),
    cid: fc.constantFrom('logo', 'x.1'),
  },
  { requiredKeys: ['attachment_type', 'file_name', 'data'] },
);
/** All fields of a launch: a field that is lost on the way to the answer makes this suite fail. */
type LaunchField = Exclude<keyof CampaignLaunch, 'id' | 'slug' | 'version' | 'launched_at'>;
const launch = fc.record(
  {
    name: fc.constantFrom(null, 'Orders'),
    from: address,
    priority: fc.constantFrom('high', 'normal', 'bulk'),
    on_uncertain: fc.constantFrom('retry', 'hold'),
    on_missing: fc.constantFrom('blank', 'fail'),
    valid_for: fc.constantFrom(null, 1, 86_400),
    unsubscribe: fc.constant('one_click'),
    reply_to: address,
    cc: copies,
    bcc: copies,
    subject: fc.constantFrom('Hi', 'Hi {{ name }}'),
    text: fc.constantFrom('Hello', '', 'é'.repeat(40_000)),
    html: fc.constantFrom('<p>Hi</p>', '<mjml><mj-body></mj-body></mjml>'),
    in_reply_to: fc.constant('<1@x.test>'),
    headers: fc.dictionary(fc.constantFrom('X-A', 'x-b'), fc.constantFrom(null, 'v'), { minKeys: 1 }),
    attachments: fc.uniqueArray(file, { maxLength: 4, comparator: (a, b) => a.cid !== undefined && a.cid === b.cid }),
  } satisfies Record<LaunchField, fc.Arbitrary<unknown>>,
  { requiredKeys: ['from', 'subject', 'html'] },
);

/** The property tests run beside other suites; slow machines need time. */
jest.setTimeout(120_000);

describe('a campaign as the API returns it', () => {
  let harness: RendererHarness;
  beforeAll(async () => {
    harness = await RendererHarness.open();
  });
  afterAll(() => harness.close());

  const PATH = '/v2/campaigns/again';
  const putLaunch = async (body: unknown, path = PATH) => {
    const { status, body: answer } = await harness.call('PUT', path, body);
    return { status, answer };
  };

  /** Addresses, lists and headers come back in one form, however they were written. */
  const isAsWritten = ([name, value]: [string, unknown]) =>
    typeof value !== 'object' && name !== 'from' && name !== 'reply_to';

  it('has what was launched', async () => {
    await fc.assert(
      fc.asyncProperty(launch, async (body) => {
        await putLaunch(body);
        const { body: read } = await harness.call('GET', PATH);
        expect(read).toMatchObject(Object.fromEntries(Object.entries(body).filter(isAsWritten)));
      }),
      { numRuns: 50 },
    );
  });

  it('can be sent back, and stays the same version', async () => {
    await fc.assert(
      fc.asyncProperty(launch, async (body) => {
        await putLaunch(body);
        const { body: read } = await harness.call('GET', PATH);
        expect(await putLaunch(read)).toEqual({ status: 200, answer: read });
      }),
      { numRuns: 100 },
    );
  });

  it('can be edited by changing a field: all else stays, files as well', async () => {
    await fc.assert(
      fc.asyncProperty(
        launch,
        fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme-ascii' }),
        async (body, name) => {
          await putLaunch(body);
          const { body: read } = await harness.call('GET', PATH);
          const { status, answer } = await putLaunch({ ...read, name });
          const { version, launched_at } = answer;
          expect([status, answer]).toEqual([200, { ...read, name, version, launched_at }]);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('cannot keep a file that the newest version lacks, nor one more often than it has it', async () => {
    const LAUNCH = { from: 'a@x.test', subject: 'Hi', text: 'Hi' };
    const logo = { attachment_type: 'file', file_name: 'logo.gif', data: 'QQ==', cid: 'logo' };
    const kept = { file_name: 'logo.gif', size: 1, cid: 'logo' };
    await putLaunch({ ...LAUNCH, attachments: [logo] });
    const faultsOf = async (attachments: object[], path?: string) => {
      const { status, answer } = await putLaunch({ ...LAUNCH, attachments }, path);
      const errors = (answer.errors ?? []) as { pointer: string; code: string }[];
      return [status, ...errors.map(({ pointer, code }) => `${pointer} ${code}`)];
    };
    expect(await faultsOf([kept, kept])).toEqual([422, '/attachments/1 file_not_kept']);
    expect(await faultsOf([{ ...kept, size: 2 }])).toEqual([422, '/attachments/0 file_not_kept']);
    expect(await faultsOf([{ file_name: 'logo.gif', size: 1 }])).toEqual([422, '/attachments/0 file_not_kept']);
    expect(await faultsOf([logo, { ...logo, file_name: 'b' }])).toEqual([422, '/attachments/1/cid cid_taken']);
    expect(await faultsOf([logo, kept])).toEqual([422, '/attachments/1/cid cid_taken']);
    expect(await faultsOf([kept], '/v2/campaigns/another')).toEqual([422, '/attachments/0 file_not_kept']);
    expect(await faultsOf([kept, { ...logo, cid: 'b' }])).toEqual([200]);
    expect(await faultsOf([])).toEqual([200]);
    expect(await faultsOf([kept])).toEqual([422, '/attachments/0 file_not_kept']);
  });

  it('keeps the file that is named, not another one of its size', async () => {
    const LAUNCH = { from: 'a@x.test', subject: 'Hi', text: 'Hi' };
    const [terms, prices] = ['terms.txt', 'prices.txt'].map((file_name, at) => ({
      attachment_type: 'file',
      file_name,
      data: Buffer.from(`${at}`).toString('base64'),
    }));
    await putLaunch({ ...LAUNCH, attachments: [terms, prices] });
    await putLaunch({ ...LAUNCH, attachments: [{ file_name: 'prices.txt', size: 1 }] });
    const { data } = harness.log.events.at(-1)!;
    const [kept, ...others] = (data as CampaignLaunched).attachments;
    expect([kept!.file_name, others]).toEqual(['prices.txt', []]);
    expect(String(harness.blobs.content.get(`a/${kept!.blob}`)!.bytes)).toBe('1');
  });

  it('counts files that are kept towards the 10 MiB of a campaign', async () => {
    const LAUNCH = { from: 'a@x.test', subject: 'Hi', text: 'Hi' };
    const half = {
      attachment_type: 'file',
      file_name: 'a.bin',
      data: Buffer.alloc(5 * 1024 * 1024).toString('base64'),
    };
    await putLaunch({ ...LAUNCH, attachments: [half, { ...half, file_name: 'b.bin' }] });
    const { body: read } = await harness.call('GET', PATH);
    const more = { attachment_type: 'file', file_name: 'c.txt', data: 'QQ==' };
    const { status, answer } = await putLaunch({ ...read, attachments: [...read.attachments, more] });
    expect(status).toBe(422);
    expect(answer.errors).toMatchObject([{ pointer: '/attachments/2', code: 'attachments_too_large' }]);
  });
});
