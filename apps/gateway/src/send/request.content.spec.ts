import type { BlobStore } from '@lettermill/blobs';
import { closeSharedCompiler } from '@lettermill/templates';
import { allTemplateFaults } from './request.faults';
import { RequestContent, sharedFitsInEvent, sharedText } from './request.content';

const mjml = (text: string) =>
  `<mjml><mj-body><mj-section><mj-column><mj-text>${text}</mj-text></mj-column></mj-section></mj-body></mjml>`;

describe('the texts of a request', () => {
  const content = new RequestContent({} as BlobStore);
  afterAll(() => closeSharedCompiler());

  it('are compiled from MJML to html before they go on the log', async () => {
    const details = await content.details('a', { subject: 'S', html: mjml('Dear {{ name }}') });
    expect(details).toEqual({ subject: 'S', html: expect.stringMatching(/^\s*<!doctype html>[^]*Dear {{ name }}/i) });
    expect(await content.details('a', { html: '<p>{{ name }}</p>' })).toEqual({ html: '<p>{{ name }}</p>' });
    expect(await content.details('a', { text: '<mjml>' })).toEqual({ text: '<mjml>' });
  });

  it('are checked in turn with those of other requests, however many there are', async () => {
    const ended: string[] = [];
    const check = (name: string, count: number) => {
      const to = Array.from({ length: count }, (_, at) => ({ message: { html: mjml(`${name} ${at}`) } }));
      return allTemplateFaults('a', { to }).then((faults) => ended.push(`${name}: ${faults.length}`));
    };
    await Promise.all([check('many', 20), check('one', 1)]);
    expect(ended).toEqual(['one: 0', 'many: 0']);
  });

  it('are unavailable rather than refused if checking them all takes too long, and a retry goes on', async () => {
    const to = Array.from({ length: 3 }, (_, at) => ({ message: { html: mjml(`slow ${at}`) } }));
    const check = () => allTemplateFaults('a', { to }, new Set(), 0);
    await expect(check()).rejects.toMatchObject({ code: 'unavailable', headers: { 'retry-after': '2' } });
    expect(await allTemplateFaults('a', { to })).toEqual([]);
  });
});

describe('what the recipients of a request share', () => {
  const stored: number[] = [];
  const put = (_account: string, bytes: Buffer) => {
    stored.push(bytes.length);
    return Promise.resolve({ blob: 'b', size: bytes.length });
  };
  const content = new RequestContent({ put } as unknown as BlobStore);
  const sharedOf = (length: number) => ({
    profile_data: { a: 'x'.repeat(length - sharedText({ profile_data: { a: '' } })!.length) },
  });

  it('is part of the event up to 16 KiB, and a blob beyond', async () => {
    const [fits, exceeds] = [sharedOf(16_384), sharedOf(16_385)];
    expect([fits, exceeds].map((shared) => sharedFitsInEvent(sharedText(shared)!))).toEqual([true, false]);
    expect(await content.shared('a', fits)).toBe(sharedText(fits));
    expect(stored).toEqual([]);
    expect(await content.shared('a', exceeds)).toBe('{"blob":"b","size":16385}');
    expect(stored).toEqual([16_385]);
  });

  it('is not in the event if it is nothing', async () => {
    const nothing = { profile_data: undefined, message: undefined, attachments: undefined };
    expect(await content.shared('a', nothing)).toBeUndefined();
    expect(await content.shared('a', { ...nothing, profile_data: {} })).toBe('{"profile_data":{}}');
  });
});
