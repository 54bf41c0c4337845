import { closeSharedCompiler } from '@lettermill/templates';
import type { FilesToCheck } from '../attachments/file.faults';
import type { TakenId } from './claims.store';
import { allTemplateFaults, requestFaults } from './request.faults';

describe('requestFaults', () => {
  afterAll(closeSharedCompiler);

  const account = (known: boolean, taken: Record<string, string> = {}) => ({
    accountId: 'a',
    campaign: () => Promise.resolve(known ? { files: { bytes: 7, cids: ['logo'] } } : undefined),
    files: ({ wrong, ofCampaign }: Omit<FilesToCheck, 'uploads'>) =>
      [...(wrong ?? [])]
        .filter((pointer) => pointer.includes('/attachments/'))
        .map((at) => ({
          pointer: `files beside ${at}`,
          code: 'file_ref_unknown' as const,
          detail: `${ofCampaign.bytes} bytes`,
        })),
    taken: (ids: string[]) =>
      Promise.resolve(ids.flatMap((value) => (taken[value] ? [{ value, messageId: taken[value] }] : []))),
  });
  const faultLines = async (body: unknown, known = false) =>
    (await requestFaults(body, account(known))).map(({ pointer, code }) => `${pointer} ${code}`);
  const broken = { text: '{{ a | nope }}', html: 'fine', subject: 'a\nb {{' };

  it('reports an unknown campaign and invalid templates beside the faults of the schema', async () => {
    const body = {
      campaign: 'no-such',
      to: ['bad', { contact_key: 'ada@x.org', message: broken, nope: 1 }, { contact_key: 'bob@x.org', message: 7 }],
      message: { subject: '{{', html: '{% if %}' },
    };
    expect((await faultLines(body)).sort()).toEqual([
      '/campaign campaign_unknown',
      '/message/html template_invalid',
      '/message/subject template_invalid',
      '/to/0 invalid_email',
      '/to/1/message/subject control_character',
      '/to/1/message/text template_invalid',
      '/to/1/nope unknown_property',
      '/to/2/message wrong_type',
    ]);
    expect(await faultLines(body, true)).not.toContain('/campaign campaign_unknown');
  });

  it('reports a single recipient without an index in the pointer', async () => {
    const body = { campaign: { slug: 'order' }, to: { contact_key: 'bad', message: { text: '{{' } } };
    expect(await faultLines(body, true)).toEqual([
      '/to/contact_key invalid_email',
      '/to/message/text template_invalid',
    ]);
  });

  it('has the files checked with the faults and the campaign files known so far', async () => {
    const body = { campaign: 'order', to: 'ada@x.org', attachments: [{ file_ref: 7 }] };
    const faults = (detail: string) => [
      { pointer: '/attachments/0/file_ref', code: 'wrong_type' },
      { pointer: 'files beside /attachments/0/file_ref', code: 'file_ref_unknown', detail },
    ];
    expect(await requestFaults(body, account(true))).toMatchObject(faults('7 bytes'));
    expect((await requestFaults(body, account(false))).slice(0, 1)).toMatchObject(faults('').slice(0, 1));
  });

  it('reports every taken external id beside the other faults, with the message that has it', async () => {
    const ids = ['used', 'used', 'a b', 'new', 'new', 'used'];
    const to = ids.map((external_message_id, i) => ({ contact_key: `k${i}@x.org`, external_message_id }));
    const asked = [...to.slice(0, 5), { ...to[5], contact_key: 'bad' }, { external_message_id: 'used' }];
    const faults = await requestFaults({ campaign: 'order', to: asked }, account(true, { used: 'M' }));
    const taken = { code: 'external_message_id_taken', message_id: 'M' };
    expect(faults).toMatchObject([
      { pointer: '/to/2/external_message_id', code: 'bad_format' },
      { pointer: '/to/5/contact_key', code: 'invalid_email' },
      { pointer: '/to/4/external_message_id', code: 'external_message_id_taken' },
      ...[0, 1, 5].map((i) => ({ ...taken, pointer: `/to/${i}/external_message_id` })),
    ]);
    const one = await requestFaults({ campaign: 'order', to: { ...to[0], nope: 1 } }, account(true, { used: 'M' }));
    expect(one).toMatchObject([{ pointer: '/to/nope' }, { ...taken, pointer: '/to/external_message_id' }]);
  });

  it('does not say of a call that was never answered that its message exists', async () => {
    const takenBy = async (one: Pick<TakenId, 'unanswered'>) => {
      const taken = () => Promise.resolve([{ value: 'used', messageId: 'M', ...one }]);
      const to = { contact_key: 'k@x.org', external_message_id: 'used' };
      const [fault] = await requestFaults({ campaign: 'order', to }, { ...account(true), taken });
      return fault;
    };
    expect(await takenBy({})).toMatchObject({ message_id: 'M', detail: 'Message M has this external_message_id.' });
    for (const unanswered of ['other contact', 'other recipients', 'too old'] as const)
      expect(await takenBy({ unanswered })).toMatchObject({
        message_id: 'M',
        detail: expect.stringMatching(
          /was never answered; its message would be M\. .*ook the message up before you use another id\.$/,
        ) as string,
      });
  });

  it('says which campaign is unknown', async () => {
    const details = async (campaign: unknown) =>
      (await requestFaults({ campaign, to: 'ada@x.org' }, account(false))).map(({ detail }) => detail);
    const id = 'A1b2C3d4E5f6G7h8I0';
    for (const campaign of ['no-such', { slug: 'no-such' }])
      expect(await details(campaign)).toEqual(['The account has no campaign «no-such».']);
    expect(await details({ id })).toEqual([`The account has no campaign «${id}».`]);
  });

  it('checks no template that is larger than a mail may be, also where faults are not known', async () => {
    const faultsOf = (length: number) => allTemplateFaults('a', { message: { text: '{{'.padEnd(length, 'x') } });
    expect(await faultsOf(1_048_576)).toMatchObject([{ pointer: '/message/text', code: 'template_invalid' }]);
    expect(await faultsOf(1_048_577)).toEqual([]);
  });

  it('looks up neither a campaign without a valid name nor ids where there are none', async () => {
    const asked: unknown[] = [];
    const ask = (name: unknown) => Promise.reject(new Error(`asked for ${String(asked.push(name))}`));
    const body = { campaign: 'x', to: ['bad', { contact_key: 'ada@x.org', external_message_id: 'a b' }] };
    await requestFaults(body, { ...account(true), campaign: ask, taken: ask });
    expect(asked).toEqual([]);
    expect(await faultLines({ campaign: 'x', to: 'bad' })).toEqual(['/campaign bad_format', '/to invalid_email']);
  });

  it('looks up no campaign without a valid name, and reports nothing more about missing parts', async () => {
    for (const campaign of ['x', {}, { id: 'x' }, { slug: 'order', id: 'x' }, null, 7]) {
      expect(await faultLines({ campaign, to: 'ada@x.org' })).toHaveLength(1);
    }
    expect(await faultLines({ to: 'ada@x.org' })).toEqual(['/campaign missing_property']);
    expect(await faultLines({ campaign: 'order', to: [null], message: null }, true)).toHaveLength(2);
    expect(await faultLines(null)).toEqual([' wrong_type']);
    expect(await faultLines({ campaign: 'order' }, true)).toEqual(['/to missing_property']);
  });
});
