import type { AnyEvent, Details, MessageQueued } from '@lettermill/events';
import { RendererHarness } from '../testing/renderer.harness';

describe('the draft of a mail', () => {
  let harness: RendererHarness;
  beforeEach(async () => {
    harness = await RendererHarness.open();
  });
  afterEach(() => harness.close());

  const launch = (changes?: object) => harness.launch(changes);
  const queued = (event: AnyEvent | undefined) => {
    expect(event).toMatchObject({ type: 'MessageQueued' });
    return event!.data as MessageQueued;
  };

  it('has every detail that a message has', async () => {
    const message: Required<Details> = {
      subject: 'S',
      text: 'T',
      html: '<p>H</p>',
      headers: { 'X-A': 'a' },
      in_reply_to: '<1@x.test>',
      reply_to: { email: 'help@x.test' },
      cc: [{ email: 'c@x.test' }],
      bcc: [{ email: 'b@x.test' }],
    };
    const [event] = await harness.handle({ campaign: await launch(), message });
    const { bcc, headers, ...same } = message;
    const { mail, envelope } = queued(event);
    expect(mail).toMatchObject({ ...same, headers: Object.entries(headers) });
    expect(envelope.to).toContain(bcc[0]!.email);
  });

  it('takes the time of acceptance as now, whenever it is made', async () => {
    const campaign = await launch({ text: "{{ 'now' | date: '%Y-%m-%d %H:%M:%S' }}" });
    expect(queued((await harness.handle({ campaign }))[0]).mail.text).toBe('2026-01-02 03:04:05');
  });

  it('is not made for a recipient who unsubscribed, if the campaign offers to unsubscribe', async () => {
    const unsubscribed = { code: 'unsubscribed' as const, detail: 'The recipient unsubscribed.' };
    const [receipt] = await harness.handle({ campaign: await launch(), unsubscribed });
    expect(queued(receipt).envelope.to).toEqual(['ada@x.test']);
    const [newsletter] = await harness.handle({ campaign: await launch({ unsubscribe: 'one_click' }), unsubscribed });
    expect(newsletter).toMatchObject({
      type: 'MessageSuppressed',
      data: { reason: unsubscribed, address: 'ada@x.test' },
    });
  });

  describe('copies to suppressed addresses', () => {
    const suppressed_copies = [
      { address: 'cc@x.test', code: 'suppressed', detail: 'The mailbox refused it.' },
      { address: 'left@x.test', code: 'unsubscribed', detail: 'The recipient unsubscribed.' },
    ];
    const message = { bcc: [{ email: 'LEFT@x.test' }, { email: 'b@x.test' }] };

    it('are in no envelope and no header, and are reported', async () => {
      const campaign = await launch({ cc: ['Cc@X.test', 'dora@x.test'] });
      const [event, other] = await harness.handle({ campaign, message, suppressed_copies }, { campaign, message });
      expect(queued(event)).toMatchObject({
        envelope: { to: ['ada@x.test', 'dora@x.test', 'LEFT@x.test', 'b@x.test'] },
        mail: { cc: [{ email: 'dora@x.test' }] },
        suppressed_copies: suppressed_copies.slice(0, 1),
      });
      expect(queued(other).envelope.to).toHaveLength(5);
      expect(queued(other)).not.toHaveProperty('suppressed_copies');
    });

    it('include those who unsubscribed, if the campaign offers to unsubscribe', async () => {
      const campaign = await launch({ unsubscribe: 'one_click' });
      const [event] = await harness.handle({ campaign, message, suppressed_copies });
      expect(queued(event)).toMatchObject({ envelope: { to: ['ada@x.test', 'b@x.test'] }, suppressed_copies });
    });

    it('do not affect the recipient', async () => {
      const campaign = await launch({ cc: ['cc@x.test'] });
      const [event] = await harness.handle({ campaign, suppressed_copies });
      expect(queued(event)).toMatchObject({ envelope: { to: ['ada@x.test'] }, mail: { cc: [] } });
    });
  });

  describe('an unsubscribe link', () => {
    const link = expect.stringMatching(/^<https:\/\/mail\.shop\.test\/unsubscribe\/[\w-]+>$/) as string;
    const headersOf = async (headers: Record<string, string>) => {
      const campaign = await launch({ unsubscribe: 'one_click', headers });
      const [event] = await harness.handle({ campaign });
      return queued(event).mail.headers;
    };

    it('comes beside the other headers, with a header of its own that nobody else can set', async () => {
      expect(await headersOf({ 'X-A': '1', 'list-unsubscribe-post': 'other' })).toEqual([
        ['X-A', '1'],
        ['List-Unsubscribe', link],
        ['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'],
      ]);
    });

    it('is available to templates, and empty in those of a request for another campaign', async () => {
      const text = '<{{ message.unsubscribe_url }}>';
      const [shown] = await harness.handle({ campaign: await launch({ unsubscribe: 'one_click', text }) });
      const [without] = await harness.handle({ campaign: await launch(), message: { text } });
      expect([queued(shown).mail.text, queued(without).mail.text]).toEqual([link, '<>']);
    });

    it('gives way to one that the campaign sets', async () => {
      const own = { 'LIST-UNSUBSCRIBE': '<mailto:leave@x.test>', 'List-Unsubscribe-Post': 'own' };
      expect(await headersOf(own)).toEqual(Object.entries(own));
    });

    it('is not left out because PUBLIC_URL was lost since the launch', async () => {
      const [newsletter, receipt] = [await launch({ unsubscribe: 'one_click' }), await launch()];
      await harness.stop();
      await harness.start({});
      const [unsent] = await harness.handle({ campaign: newsletter });
      expect(unsent).toMatchObject({
        type: 'MessageFailed',
        data: { reason: { code: 'render_error', detail: expect.stringContaining('PUBLIC_URL') as string } },
      });
      expect((await harness.handle({ campaign: receipt }))[0]).toMatchObject({ type: 'MessageQueued' });
    });
  });
});
