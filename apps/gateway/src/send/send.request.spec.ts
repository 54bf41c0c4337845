import { fingerprint, type SendRequest } from './send.request';

const BODY = { campaign: 'order', to: 'ada@example.com', profile_data: { a: 1, b: [1, 2] } };
const file = { part: 'f', fileName: 'a.txt', contentType: 'text/plain', blob: '1'.repeat(64) };

/** The fingerprint of a request with these files. */
function fingerprintOf(files: (typeof file)[], body: object = BODY): string {
  const uploads = files.map(({ blob, ...upload }) => ({ ...upload, draft: { blob } }));
  return fingerprint({ body, uploads } as unknown as SendRequest);
}

describe('the fingerprint of a request', () => {
  it.each([
    ['bytes', { blob: '2'.repeat(64) }],
    ['file name', { fileName: 'b.txt' }],
    ['media type', { contentType: 'text/html' }],
    ['part', { part: 'g' }],
  ])('depends on the %s of a file', (_what, other) => {
    expect(fingerprintOf([{ ...file, ...other }])).not.toBe(fingerprintOf([file]));
  });

  it('depends on which files there are, and on the JSON', () => {
    expect(fingerprintOf([file, { ...file, part: 'g' }])).not.toBe(fingerprintOf([file]));
    expect(fingerprintOf([], { ...BODY, profile_data: { a: 1, b: [2, 1] } })).not.toBe(fingerprintOf([]));
  });

  it('does not depend on the order of files and properties', () => {
    const more = { ...file, part: 'g' };
    expect(fingerprintOf([more, file])).toBe(fingerprintOf([file, more]));
    expect(fingerprintOf([], { to: BODY.to, profile_data: { b: [1, 2], a: 1 }, campaign: 'order' })).toBe(
      fingerprintOf([]),
    );
  });
});
