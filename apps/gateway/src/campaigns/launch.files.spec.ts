import type { CampaignLaunch } from '@lettermill/contract';
import { lacksOnlyFiles, launchSizeFaults, urlFilesOf, withFiles } from './launch.files';

const MIB = 1024 * 1024;
const TERMS = 'https://shop.example/terms.pdf';
const PRICES = 'https://shop.example/prices.pdf';
const urlFile = (data: string, more: object = {}) => ({
  attachment_type: 'url' as const,
  file_name: 'a.pdf',
  data,
  ...more,
});
const INLINE = { attachment_type: 'file' as const, file_name: 'a.txt', data: 'QQ==' };
const KEPT = { file_name: 'logo.png', size: 3, cid: 'logo' };
const launch = (...attachments: object[]) =>
  ({ from: 'shop@x.test', subject: 'Hi', text: 'Hello', attachments }) as CampaignLaunch;
const refusal = (...errors: object[]) => ({ status: 422, body: Buffer.from(JSON.stringify({ errors })) });
const unfetched = (index: number) => ({ pointer: `/attachments/${index}`, code: 'attachment_kind_unavailable' });

describe('a launch lacks only files', () => {
  it('if the renderer has no other fault to tell', () => {
    const body = launch(INLINE, urlFile(TERMS), KEPT, urlFile(PRICES));
    expect(lacksOnlyFiles(refusal(unfetched(1), unfetched(3)), body)).toBe(true);
  });

  it.each<[string, object[], unknown]>([
    [
      'another fault is told beside',
      [unfetched(0), { pointer: '/html', code: 'template_invalid' }],
      launch(urlFile(TERMS)),
    ],
    ['only another fault is told', [{ pointer: '', code: 'slug_is_an_id' }], launch(urlFile(TERMS))],
    ['no fault is told', [], launch(urlFile(TERMS))],
    ['the file is a part of a form', [unfetched(0)], launch({ file_ref: '6f1c1f0e-8a3e-4c1f-9a52-0d6f2f1b7c11' })],
    [
      'an earlier renderer did not see what is wrong with it',
      [unfetched(0)],
      launch(urlFile('http://shop.example/t.pdf')),
    ],
    ['the file at the pointer is given', [unfetched(1)], launch(urlFile(TERMS), INLINE)],
    ['the body is no launch', [unfetched(0)], [1]],
  ])('but not if %s', (_case, errors, body) => {
    expect(lacksOnlyFiles(refusal(...errors), body)).toBe(false);
  });

  it.each([201, 200, 503, 413])('but not if the renderer answers %i', (status) => {
    expect(lacksOnlyFiles({ ...refusal(unfetched(0)), status }, launch(urlFile(TERMS)))).toBe(false);
  });
});

describe('the files at addresses', () => {
  it('are found by their place', () => {
    expect(urlFilesOf(launch(INLINE, urlFile(TERMS), KEPT, urlFile(PRICES)))).toEqual([
      { pointer: '/attachments/1', address: TERMS },
      { pointer: '/attachments/3', address: PRICES },
    ]);
    const { attachments: _none, ...bare } = launch();
    expect(urlFilesOf(bare)).toEqual([]);
  });

  it('become base64 in their place; all else stays as it is', () => {
    const body = launch(INLINE, urlFile(TERMS, { cid: 'terms', metadata: { 'x-a': 1 } }), KEPT, urlFile(TERMS));
    const file = { attachment_type: 'file', file_name: 'a.pdf', data: `of ${TERMS}` };
    expect(withFiles(body, (address) => `of ${address}`)).toEqual({
      ...body,
      attachments: [INLINE, { ...file, cid: 'terms' }, KEPT, file],
    });
  });

  it('may have 10 MiB with all other files, each as often as it is named', () => {
    const sizes = (terms: number, ...more: object[]) =>
      launchSizeFaults(launch(urlFile(TERMS), INLINE, KEPT, ...more), (address) => (address === TERMS ? terms : MIB));
    expect(sizes(10 * MIB - 4)).toEqual([]);
    expect(sizes(10 * MIB - 3)).toMatchObject([{ pointer: '/attachments/1', code: 'attachments_too_large' }]);
    expect(sizes(5 * MIB, urlFile(PRICES))).toEqual([]);
    expect(sizes(5 * MIB, urlFile(TERMS))).toMatchObject([{ pointer: '/attachments/3' }]);
  });
});
