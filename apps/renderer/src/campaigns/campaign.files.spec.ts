import type { CampaignAttachment } from '@lettermill/contract';
import type { AttachmentRef } from '@lettermill/events';
import { RendererHarness } from '../testing/renderer.harness';
import { launchedFiles } from './campaign.files';

const stored = (content: string, file_name = 'terms.pdf'): AttachmentRef => ({
  blob: content.repeat(64),
  size: 4,
  file_name,
  content_type: 'application/pdf',
});
const kept: CampaignAttachment = { file_name: 'terms.pdf', size: 4 };
const sent: CampaignAttachment = { attachment_type: 'file', file_name: 'terms.pdf', data: 'TkVXIQ==' };
const [old, recent, other] = [stored('a'), stored('b'), stored('c', 'prices.pdf')];

const fetched: CampaignAttachment = {
  attachment_type: 'url',
  file_name: 'terms.pdf',
  data: 'https://shop.example/terms.pdf',
};
const unfetched = (index: number) => ({
  pointer: `/attachments/${index}`,
  code: 'attachment_kind_unavailable',
  detail: 'this gateway fetches no files of campaigns: upgrade it, or give the file as base64',
});

describe('files of a launch that are not fetched', () => {
  it('are refused, each of them', () => {
    const { files, faults } = launchedFiles([sent, fetched, kept, fetched], [old]);
    expect(files).toEqual([sent, old]);
    expect(faults).toEqual([unfetched(1), unfetched(3)]);
  });

  it('are not mentioned if other files have faults', () => {
    const named = { ...fetched, cid: 'terms' };
    expect(launchedFiles([fetched, kept], []).faults).toMatchObject([
      { pointer: '/attachments/1', code: 'file_not_kept' },
    ]);
    expect(launchedFiles([named, { ...sent, cid: 'terms' }], []).faults).toMatchObject([{ code: 'cid_taken' }]);
  });
});

describe('files of a launch that are kept', () => {
  it.each([
    ['one of two', [kept], '/attachments/0'],
    ['one of two, the other sent anew', [sent, kept], '/attachments/1'],
  ])('are refused if nobody can tell which is meant: %s', (_case, asked, pointer) => {
    const { files, faults } = launchedFiles(asked, [old, recent, other]);
    expect(files).toEqual(asked.slice(0, -1));
    expect(faults).toEqual([
      {
        pointer,
        code: 'file_not_kept',
        detail:
          'the newest version has several files «terms.pdf» of 4 bytes with this cid, and their content differs; give its data',
      },
    ]);
  });

  it('stay in their order if all that look the same are kept', () => {
    expect(launchedFiles([kept, sent, kept], [old, other, recent])).toEqual({ files: [old, sent, recent], faults: [] });
  });

  it('are any of those that look the same if their content is the same', () => {
    expect(launchedFiles([kept], [old, { ...old }, other])).toEqual({ files: [old], faults: [] });
  });

  it('are refused from the first that is one too many', () => {
    const { files, faults } = launchedFiles([kept, kept, kept], [old, recent]);
    expect(files).toEqual([old, recent]);
    expect(faults).toMatchObject([{ pointer: '/attachments/2', code: 'file_not_kept' }]);
  });
});

describe('a launch', () => {
  let harness: RendererHarness;
  beforeAll(async () => {
    harness = await RendererHarness.open();
  });
  afterAll(() => harness.close());

  it('is refused with files that the gateway has not fetched; with these faults alone only if there are no others', async () => {
    const attachments = [sent, fetched];
    const codesOf = async (launch: object) => {
      const { status, body } = await harness.call('PUT', '/v2/campaigns/welcome', {
        from: 'shop@x.test',
        subject: 'Hi',
        text: 'Hello',
        attachments,
        ...launch,
      });
      expect(status).toBe(422);
      return (body.errors as { pointer: string; code: string }[]).map(({ pointer, code }) => [pointer, code]);
    };
    expect(await codesOf({})).toEqual([['/attachments/1', 'attachment_kind_unavailable']]);
    expect(await codesOf({ html: '{% if %}' })).toEqual([['/html', 'template_invalid']]);
    expect(await codesOf({ attachments: [...attachments, { file_name: 'b', size: 1 }] })).toEqual([
      ['/attachments/2', 'file_not_kept'],
    ]);
    expect(harness.log.records).toEqual([]);
  });
});
