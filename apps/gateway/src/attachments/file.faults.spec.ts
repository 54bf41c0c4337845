import type { Fault } from '@lettermill/problems';
import { fileFaults, type KnownAddresses } from './file.faults';
import type { UploadedFile } from './request.files';

const MIB = 1024 * 1024;
const FILE_REF = '6f1c1f0e-8a3e-4c1f-9a52-0d6f2f1b7c11';
const OTHER_FILE_REF = '7f1c1f0e-8a3e-4c1f-9a52-0d6f2f1b7c22';

const part = (name: string, fileName?: string, size = 1): UploadedFile => {
  const draft = {
    blob: 'x',
    size,
    read: () => Promise.resolve(Buffer.alloc(0)),
    commit: () => Promise.resolve(),
    discard: () => Promise.resolve(),
  };
  return { part: name, fileName, contentType: undefined, draft };
};
const base64 = (bytes: number) => ({
  attachment_type: 'file',
  file_name: 'f',
  data: Buffer.alloc(bytes).toString('base64'),
});
const url = (data: string) => ({ attachment_type: 'url', file_name: 'f', data });

describe('fileFaults', () => {
  const checkedUrls: string[] = [];
  const addresses: KnownAddresses = {
    refusal: (address) => {
      checkedUrls.push(address);
      return address.includes('10.0.0.1') ? { code: 'attachment_address_refused', message: 'not there' } : undefined;
    },
    sizeOf: (address) => (address.endsWith('/big') ? 10 * MIB : 0),
  };
  const faults = (
    body: Record<string, unknown>,
    uploads?: UploadedFile[],
    wrong: string[] = [],
    bytes = 0,
    cids: string[] = [],
  ): Fault[] => fileFaults({ body, uploads, ofCampaign: { bytes, cids }, wrong: new Set(wrong) }, addresses);
  const faultLines = (...args: Parameters<typeof faults>) =>
    faults(...args).map(({ pointer, code }) => `${pointer} ${code}`);

  it('returns none where nothing is wrong', () => {
    const to = [
      'a@x.org',
      { contact_key: 'b@x.org', attachments: [{ file_ref: FILE_REF }, base64(3), url('https://x.org/a')] },
    ];
    expect(
      faultLines({ to, attachments: [{ file_ref: OTHER_FILE_REF, file_name: 'b' }] }, [
        part(FILE_REF, 'a'),
        part(OTHER_FILE_REF),
        part('c', 'c'),
      ]),
    ).toEqual([]);
  });

  it('reports parts, names, addresses and sizes at every level', () => {
    const body = {
      attachments: [{ file_ref: FILE_REF }, url('https://10.0.0.1/a'), base64(6 * MIB)],
      to: [{ attachments: [{ file_ref: OTHER_FILE_REF }, base64(3)] }, 'x', { attachments: [base64(4 * MIB)] }],
    };
    expect(faultLines(body, [part(FILE_REF), part('c')])).toEqual([
      '/attachments/0 file_name_missing',
      '/to/0/attachments/0/file_ref file_ref_unknown',
      ' file_name_missing',
      '/attachments/1/data attachment_address_refused',
      '/to/2/attachments/0 attachments_too_large',
    ]);
    expect(faultLines(body, undefined, [], 5 * MIB)).toContain('/attachments/2 attachments_too_large');
    expect(faultLines({ to: { attachments: [url('https://x.org/big'), base64(1)] } })).toEqual([
      '/to/attachments/1 attachments_too_large',
    ]);
  });

  it('counts the bytes of parts and fetched files where they are named, and none of what is wrong', () => {
    const big = { file_ref: FILE_REF };
    const tooLarge = (attachments: unknown[], size: number) =>
      faultLines({ to: { attachments } }, [part(FILE_REF, 'a', size)]);
    expect(tooLarge([{ data: 7 }, { file_ref: 7 }, big], 10 * MIB)).toEqual([]);
    expect(tooLarge([{ data: 7 }, big, big], 5 * MIB + 1)).toEqual(['/to/attachments/2 attachments_too_large']);
    expect(tooLarge([big, base64(1)], 10 * MIB)).toEqual(['/to/attachments/1 attachments_too_large']);
    expect(tooLarge([big, url('https://x.org/big')], 1)).toEqual(['/to/attachments/1 attachments_too_large']);
  });

  it('says how many bytes were found, and where', () => {
    const details = (...args: Parameters<typeof faults>) => faults(...args).map(({ detail }) => detail);
    const limit = '; at most 10485760 for all attachments of one message';
    const to = { contact_key: 'a@x.org', attachments: [base64(4 * MIB), base64(6 * MIB + 1)] };
    expect(details({ to })).toEqual([`found 10485761 bytes together with this one${limit}`]);
    expect(details({ to: 'a@x.org' }, [part('a', 'a', 6 * MIB), part('b', 'b', 1)], [], 4 * MIB)).toEqual([
      `found 10485761 bytes together with the parts that are attached to every message, 4194304 of them in files of the campaign${limit}`,
    ]);
  });

  it('says that a request without parts cannot refer to one', () => {
    const body = { to: 'a@x.org', attachments: [{ file_ref: FILE_REF }] };
    expect(faults(body)[0]!.detail).toContain('not multipart/form-data');
    expect(faults(body, [])[0]!.detail).toBe(`No part is named «${FILE_REF}».`);
  });

  it('escapes invisible characters in the name of a part, and truncates it', () => {
    expect(faults({ to: 'a@x.org' }, [part('a\u0001b')])[0]!.detail).toContain('«a\\u0001b»');
    expect(faults({ to: 'a@x.org' }, [part('x'.repeat(200))])[0]!.detail.length).toBeLessThan(160);
  });

  it('reports nothing more about fields that are already known to be wrong', () => {
    checkedUrls.length = 0;
    const wrong = ['/attachments/0/file_ref', '/attachments/1/data', '/attachments/2/data', '/attachments/3/file_name'];
    const attachments = [
      { file_ref: 'unknown' },
      url('https://10.0.0.1/ a'),
      base64(11 * MIB),
      { file_ref: FILE_REF, file_name: 7 },
    ];
    expect(faultLines({ to: 'a@x.org', attachments }, [part(FILE_REF)], wrong)).toEqual([]);
    expect(checkedUrls).toEqual([]);
  });

  it('counts a part as referred to, wherever the reference is', () => {
    const many = (last: unknown) => [...Array.from({ length: 100 }, () => ({})), last];
    expect(faultLines({ to: many({ attachments: [{ file_ref: FILE_REF }] }) }, [part(FILE_REF)])).toEqual([]);
    expect(faultLines({ to: 'a@x.org', attachments: many({ file_ref: FILE_REF }) }, [part(FILE_REF)])).toEqual([]);
    expect(faultLines({ to: 'a@x.org', attachments: [{ file_ref: 'invoice' }] }, [part('invoice', 'i')])).toEqual([]);
    const to = { attachments: [{ file_ref: FILE_REF, file_name: 'f' }] };
    expect(faultLines({ to }, [part(FILE_REF)])).toEqual([]);
  });

  it('checks ten attachments of each level: that there are more is a fault of its own', () => {
    const attachments = Array.from({ length: 11 }, () => ({ file_ref: 'unknown' }));
    expect(faultLines({ attachments, to: [{ attachments }] })).toHaveLength(20);
  });

  it.each([
    {},
    { to: null, attachments: 7 },
    { to: 7, attachments: null },
    { to: [], attachments: {} },
    { to: [null, 7, { attachments: {} }] },
  ])('copes with any body: %j', (body) => expect(faultLines(body, [part('a', 'a')])).toEqual([]));

  it.each([null, 7, 'x', [], {}, { file_ref: null }, { data: 7 }])('copes with any attachment: %j', (attachment) => {
    expect(faultLines({ to: { attachments: [attachment] }, attachments: [attachment] })).toEqual([]);
  });

  it('reports a cid that is used twice in one message, but not in two messages', () => {
    const file = (cid: unknown) => ({ ...base64(1), cid });
    const body = {
      attachments: [
        file('a'),
        file('b'),
        base64(1),
        file('a'),
        { file_ref: FILE_REF, cid: 'c' },
        { ...url('https://x.org/a'), cid: 'c' },
      ],
      to: [
        { attachments: [file('b'), file('d'), file('A')] },
        { attachments: [file('d'), file('d'), file('c')] },
        { attachments: [file(7), file(7), file(null)] },
      ],
    };
    expect(faultLines(body, [part(FILE_REF, 'a')])).toEqual([
      '/attachments/3/cid cid_taken',
      '/attachments/5/cid cid_taken',
      '/to/0/attachments/0/cid cid_taken',
      '/to/1/attachments/1/cid cid_taken',
      '/to/1/attachments/2/cid cid_taken',
    ]);
    expect(faults(body, [part(FILE_REF, 'a')])[2]!.detail).toBe('«b» is already the cid of /attachments/1.');
    expect(faultLines(body, [part(FILE_REF, 'a')], ['/to/0/attachments/0/cid'])).not.toContain(
      '/to/0/attachments/0/cid cid_taken',
    );
  });

  it('reports a cid that a file of the campaign has', () => {
    const file = (cid: string) => ({ ...base64(1), cid });
    const body = { attachments: [file('logo'), file('b')], to: [{ attachments: [file('seal'), file('c')] }] };
    const found = faults(body, [], [], 7, ['logo', 'seal']);
    expect(found.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([
      '/attachments/0/cid cid_taken',
      '/to/0/attachments/0/cid cid_taken',
    ]);
    expect(found[0]!.detail).toBe('«logo» is already the cid of a file of the campaign.');
  });
});
