import { bringsFiles, bringsTexts, fingerprint, namesOf, type SendRequest } from './send.request';

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

describe('what a request brings', () => {
  const brought = (request: object) => {
    const asked = { body: {}, recipients: [{}], ...request } as unknown as SendRequest;
    return { texts: bringsTexts(asked), files: bringsFiles(asked) };
  };

  it.each([
    ['only data', {}, false, false],
    ['a message', { body: { message: {} } }, true, false],
    ['a message of one recipient', { recipients: [{}, { message: {} }] }, true, false],
    ['attachments', { body: { attachments: [] } }, false, true],
    ['attachments of one recipient', { recipients: [{ attachments: [] }, {}] }, false, true],
    ['a form without files', { uploads: [] }, false, false],
    ['a form with files', { uploads: [{}] }, false, true],
  ])('is told: %s', (_what, request, texts, files) => {
    expect(brought(request)).toEqual({ texts, files });
  });
});

describe('the names of a request', () => {
  const to = (email: string, externalMessageId?: string) => ({
    externalMessageId,
    contactKey: { kind: 'email', value: email },
  });
  const namesIn = (recipients: object[], idempotencyKey?: string) => {
    const messageIds = recipients.map((_, at) => `m${at}`);
    return namesOf({ accountId: 'a', recipients, messageIds, idempotencyKey } as unknown as SendRequest);
  };

  it('are its key and the external ids of its messages, each with the contact', () => {
    const names = namesIn([to('ada@x.org', 'x'), to('bob@x.org'), to('ADA@x.org', 'y'), to('bob@x.org', 'z')], 'k');
    const contact = expect.stringMatching(/^[\w-]{16}$/) as string;
    expect(names).toEqual([
      { kind: 'external', value: 'x', messageId: 'm0', contact },
      { kind: 'external', value: 'y', messageId: 'm2', contact },
      { kind: 'external', value: 'z', messageId: 'm3', contact },
      { kind: 'key', value: 'k', messageId: null },
    ]);
    expect(names[1]!.contact).toBe(names[0]!.contact);
    expect(names[2]!.contact).not.toBe(names[0]!.contact);
  });

  it('are none without key and external ids', () => expect(namesIn([to('ada@x.org')])).toEqual([]));
});
