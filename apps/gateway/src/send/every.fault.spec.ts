import { closeSharedCompiler } from '@lettermill/templates';
import { everyFault } from './every.fault';

describe('every fault of a request that breaks the contract', () => {
  afterAll(closeSharedCompiler);

  const told = async (body: unknown, known = false) =>
    (await everyFault(body, () => Promise.resolve(known))).map(({ pointer, code }) => `${pointer} ${code}`);
  const broken = { text: '{{ a | nope }}', html: 'fine', subject: 'a\nb {{' };

  it('tells of the campaign and of templates beside what the shape tells', async () => {
    const body = {
      campaign: 'no-such',
      to: ['bad', { contact_key: 'ada@x.org', message: broken, nope: 1 }, { contact_key: 'bob@x.org', message: 7 }],
      message: { html: '{% if %}' },
    };
    expect((await told(body)).sort()).toEqual([
      '/campaign campaign_unknown',
      '/message/html template_invalid',
      '/to/0 invalid_email',
      '/to/1/message/subject control_character',
      '/to/1/message/text template_invalid',
      '/to/1/nope unknown_property',
      '/to/2/message wrong_type',
    ]);
    expect(await told(body, true)).not.toContain('/campaign campaign_unknown');
  });

  it('tells of one recipient at its own place', async () => {
    const body = { campaign: { slug: 'order' }, to: { contact_key: 'bad', message: { text: '{{' } } };
    expect(await told(body, true)).toEqual(['/to/contact_key invalid_email', '/to/message/text template_invalid']);
  });

  it('asks for no campaign that can have no name, and judges nothing that is not there', async () => {
    for (const campaign of ['x', {}, { id: 'x' }, { slug: 'order', id: 'x' }, null, 7]) {
      expect(await told({ campaign, to: 'ada@x.org' })).toHaveLength(1);
    }
    expect(await told({ to: 'ada@x.org' })).toEqual(['/campaign missing_property']);
    expect(await told({ campaign: 'order', to: [null], message: null }, true)).toHaveLength(2);
    expect(await told(null)).toEqual([' wrong_type']);
    expect(await told({ campaign: 'order' }, true)).toEqual(['/to missing_property']);
  });
});
