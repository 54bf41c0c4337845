import type { BlobStore } from '@lettermill/blobs';
import { closeSharedCompiler } from '@lettermill/templates';
import { allTemplateFaults } from './request.faults';
import { RequestContent } from './request.content';

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
      return allTemplateFaults({ to }).then((faults) => ended.push(`${name}: ${faults.length}`));
    };
    await Promise.all([check('many', 20), check('one', 1)]);
    expect(ended).toEqual(['one: 0', 'many: 0']);
  });

  it('are unavailable rather than refused if checking them all takes too long, and a retry goes on', async () => {
    const to = Array.from({ length: 3 }, (_, at) => ({ message: { html: mjml(`slow ${at}`) } }));
    const check = () => allTemplateFaults({ to }, new Set(), 0);
    await expect(check()).rejects.toMatchObject({ code: 'unavailable', headers: { 'retry-after': '2' } });
    expect(await allTemplateFaults({ to })).toEqual([]);
  });
});
