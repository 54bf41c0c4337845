import type { AnyEvent, ContactUpserted, MessageFailed, MessageQueued } from '@lettermill/events';
import { LAUNCH, messageId, RendererHarness } from '../testing/renderer.harness';

const contact = (profile: object) => ({
  id: 'K00000000000000001',
  email: 'ada@x.test',
  sms: null,
  keys: {},
  profile: profile as ContactUpserted['contact']['profile'],
  version: 1,
});

describe('rendering', () => {
  let harness: RendererHarness;
  beforeEach(async () => void (harness = await RendererHarness.open()));
  afterEach(() => harness.close());

  const launch = (changes?: object) => harness.launch(changes);
  const queued = (event: AnyEvent | undefined) => {
    expect(event).toMatchObject({ type: 'MessageQueued' });
    return event!.data as MessageQueued;
  };
  const failed = (event: AnyEvent | undefined) => {
    expect(event).toMatchObject({ type: 'MessageFailed' });
    return (event!.data as MessageFailed).reason;
  };

  it('keeps the order of messages whose texts are too large to be rendered together', async () => {
    const campaign = await launch();
    const own = await Promise.all(
      Array.from({ length: 30 }, async (_, at) => {
        const text = Buffer.from(`${at} ${'x'.repeat(1_000_000)}`);
        return { campaign, message: { subject: `${at}`, text: await harness.blobs.put('a', text) } };
      }),
    );
    const events = await harness.handle(...own, { campaign });
    expect(events.map((event) => queued(event).mail.subject)).toEqual([...own.map((_, at) => `${at}`), 'Hi']);
  });

  it('makes no mail for a contact whose message has ended', async () => {
    const data = { account_id: 'a', message_id: messageId(1), contact: contact({}) };
    expect(await harness.handleEvents([{ type: 'ContactChanged', id: 'e', key: 'k', data }])).toEqual([]);
  });

  describe('fails a message', () => {
    it('whose campaign version does not exist', async () => {
      const campaign = { ...(await launch()), version: 9 };
      const [event] = await harness.handle({ campaign });
      expect(failed(event)).toMatchObject({ code: 'render_error' });
      expect(event).toMatchObject({ id: 'e0/contact/failed', key: messageId(0), traceparent: '00-0' });
      const known = { ...campaign, version: 1 };
      const [own, other] = [
        ...(await harness.handle({ campaign: known })),
        ...(await harness.handle({ campaign: known, account_id: 'b' })),
      ];
      expect(own).toMatchObject({ type: 'MessageQueued' });
      expect(failed(other)).toMatchObject({ code: 'render_error' });
    });

    it('whose content is lost', async () => {
      const campaign = await launch();
      const gone = { blob: 'f'.repeat(64), size: 9 };
      const events = await harness.handle(
        { campaign, shared: gone },
        { campaign, message: { html: gone } },
        { campaign },
      );
      expect(events.map(({ type }) => type)).toEqual(['MessageFailed', 'MessageFailed', 'MessageQueued']);
      expect(failed(events[0]).code).toBe('content_lost');
      expect(failed(events[1]).code).toBe('content_lost');
    });

    it('whose template fails with its data, and no other', async () => {
      const campaign = await launch({ subject: '{% for i in (1..n) %}{% for j in (1..n) %}x{% endfor %}{% endfor %}' });
      const events = await harness.handle(
        { campaign, contact: contact({ n: 2 }) },
        { campaign, contact: contact({ n: 100_000 }) },
        { campaign, contact: contact({ n: 100 }) },
        { campaign, contact: contact({ n: 3 }) },
      );
      expect(queued(events[0]).mail.subject).toBe('xxxx');
      expect(failed(events[1])).toMatchObject({ code: 'render_limit' });
      expect(failed(events[2])).toMatchObject({ code: 'render_error', detail: expect.stringContaining('255') });
      expect(queued(events[3]).mail.subject).toBe('xxxxxxxxx');
    });

    it('whose override does not parse, and names the line and column', async () => {
      const campaign = await launch();
      const [event] = await harness.handle({ campaign, message: { html: 'a\n {{ b | nope }}' } });
      expect(failed(event)).toEqual({ code: 'render_error', detail: expect.stringContaining('line 2, column 2') });
    });
  });

  it('renders each recipient separately, and no value as a template', async () => {
    const campaign = await launch();
    const names = ['Ada', '{{7*7}}', '<b>Bob</b>'];
    const events = await harness.handle(...names.map((n) => ({ campaign, contact: contact({ first_name: n }) })));
    expect(events.map((event) => queued(event).mail)).toMatchObject([
      { subject: 'Hi Ada', text: 'Dear Ada', html: '<p>Dear Ada</p>' },
      { subject: 'Hi {{7*7}}', text: 'Dear {{7*7}}', html: '<p>Dear {{7*7}}</p>' },
      { subject: 'Hi <b>Bob</b>', text: 'Dear <b>Bob</b>', html: '<p>Dear &lt;b&gt;Bob&lt;/b&gt;</p>' },
    ]);
    expect(harness.log.appends).toBe(2);
  });

  it('fails a message with a missing value if the campaign says so', async () => {
    const campaign = await launch({ on_missing: 'fail' });
    const [failed, fine] = await harness.handle(
      { campaign, contact: contact({ last_name: 'Lovelace' }) },
      { campaign, contact: contact({ first_name: 'Ada' }) },
    );
    expect(failed).toMatchObject({
      type: 'MessageFailed',
      data: {
        reason: { code: 'render_error', detail: 'subject, line 1, column 7: undefined variable: first_name' },
      },
    });
    expect(queued(fine).mail.subject).toBe('Hi Ada');
  });

  it('queues everything that sending the mail needs', async () => {
    const campaign = await launch({ priority: 'bulk', on_uncertain: 'hold', valid_for: 60, cc: ['cc@x.test'] });
    const [event] = await harness.handle({
      campaign,
      contact: contact({ first_name: 'Ada' }),
      message: {
        bcc: [{ email: 'CC@x.test' }, { email: 'b@x.test' }],
        in_reply_to: '<1@x.test>',
        headers: { 'X-A': '1' },
      },
    });
    expect(event).toMatchObject({ id: 'e0/contact/queued', key: 'a:email:ada@x.test', traceparent: '00-0' });
    expect(queued(event)).toEqual({
      account_id: 'a',
      message_id: messageId(0),
      campaign,
      priority: 'bulk',
      on_uncertain: 'hold',
      expires_at: '2026-01-02T03:05:05.678Z',
      envelope: { from: 'shop@münchen.test', to: ['ada@x.test', 'cc@x.test', 'b@x.test'] },
      mail: {
        message_id: `<${messageId(0)}@xn--mnchen-3ya.test>`,
        date: '2026-01-02T03:04:05.678Z',
        from: LAUNCH.from,
        to: { email: 'ada@x.test', name: 'Ada' },
        cc: [{ email: 'cc@x.test' }],
        in_reply_to: '<1@x.test>',
        subject: 'Hi Ada',
        text: 'Dear Ada',
        html: '<p>Dear Ada</p>',
        headers: [['X-A', '1']],
        attachments: [],
      },
    });
  });

  it('renders the same mail for the same event', async () => {
    const campaign = await launch({ text: '{{ "now" | date: "%s" }}' });
    const [first] = await harness.handle({ campaign });
    const [second] = await harness.handle({ campaign });
    expect({ ...second, time: '', position: 0 }).toEqual({ ...first, time: '', position: 0 });
  });

  it('takes recipient over request over campaign, and reads shared content once', async () => {
    const file = (n: number) => ({
      blob: String(n).repeat(64),
      size: n,
      file_name: `${n}`,
      content_type: 'text/plain',
    });
    const attachments = [{ attachment_type: 'file', file_name: 'c.txt', data: Buffer.from('c').toString('base64') }];
    const campaign = await launch({ headers: { 'X-A': 'campaign', 'X-B': 'b' }, attachments });
    const part = { message: { subject: 'Shared', headers: { 'x-a': 'shared' } }, attachments: [file(1)] };
    const shared = await harness.blobs.put('a', Buffer.from(JSON.stringify(part)));
    const gets = harness.blobs.gets;
    const own = { subject: 'Own', headers: { 'X-B': null, Date: 'x' } };
    const events = await harness.handle(
      { campaign, shared, message: own, attachments: [file(2)] },
      { campaign, shared },
      { campaign, shared: part },
    );
    expect(harness.blobs.gets - gets).toBe(1);
    const mails = events.map((event) => queued(event).mail);
    expect(mails.map(({ subject }) => subject)).toEqual(['Own', 'Shared', 'Shared']);
    expect(mails[0]!.headers).toEqual([['x-a', 'shared']]);
    expect(mails[1]!.headers).toEqual([
      ['x-a', 'shared'],
      ['X-B', 'b'],
    ]);
    expect(mails[0]!.attachments.map(({ file_name }) => file_name)).toEqual(['c.txt', '1', '2']);
  });

  it("keeps the campaign's text beside an overridden html, and makes a text if there is none", async () => {
    const own = await launch();
    const html = { html: '<h1>New {{ first_name }}</h1>' };
    const [kept] = await harness.handle({ campaign: own, message: html, contact: contact({ first_name: 'Ada' }) });
    expect(queued(kept).mail).toMatchObject({ text: 'Dear Ada', html: '<h1>New Ada</h1>' });
    const none = await launch({ text: undefined });
    const [made] = await harness.handle({ campaign: none, message: html, contact: contact({ first_name: 'Ada' }) });
    expect(queued(made).mail).toMatchObject({ text: 'New Ada', html: '<h1>New Ada</h1>' });
  });

  it('renders MJML of a campaign', async () => {
    const html =
      '<mjml><mj-body><mj-section><mj-column><mj-text>Dear {{ first_name }}</mj-text></mj-column></mj-section></mj-body></mjml>';
    const campaign = await launch({ html, text: undefined });
    const [event] = await harness.handle({ campaign, contact: contact({ first_name: 'A&B' }) });
    expect(queued(event).mail.html).toMatch(/<html[^]*Dear A&amp;B/);
    expect(queued(event).mail.text).toBe('Dear A&B');
  });

  it('reads and writes large bodies by reference', async () => {
    const big = 'é'.repeat(150_000);
    const campaign = await launch({ html: `<p>{{ first_name }}</p>${big}` });
    const [event] = await harness.handle({ campaign, contact: contact({ first_name: 'Ada' }) });
    const { html } = queued(event).mail;
    const { blob } = html as { blob: string };
    const stored = harness.blobs.content.get(`a/${blob}`)!;
    expect(stored.bytes.toString()).toBe(`<p>Ada</p>${big}`);
    expect(stored.keep).toBe('retention');
  });

  it('gives templates the message, contact, campaign and profile', async () => {
    const campaign = await launch({
      subject:
        '{{ message.id }} {{ contact.email }} {{ campaign.slug }} v{{ campaign.version }} {{ profile.a.b }} {{ a.b }}',
    });
    const [event] = await harness.handle({ campaign, contact: contact({ a: { b: 1 }, contact: 'x', message: 'y' }) });
    expect(queued(event).mail.subject).toBe(`${messageId(0)} ada@x.test welcome v1 1 1`);
  });

  it('gives templates every value that docs/send.md names, whatever the profile has under these names', async () => {
    const names = [
      'profile.message',
      'contact.id',
      'contact.version',
      'contact.email',
      'contact.sms',
      'contact.keys.crm_id',
      'campaign.id',
      'campaign.slug',
      'campaign.version',
      'campaign.name',
      'message.id',
      'message.request_id',
      'message.accepted_at',
      'message.to.email',
      'message.to.name',
    ];
    const campaign = await launch({ name: 'Welcome mail', text: names.map((name) => `{{ ${name} }}`).join('\n') });
    const profile = { message: 'mine', contact: {}, campaign: {}, profile: 'none' };
    const known = { ...contact(profile), sms: '+4915112345678', keys: { crm_id: 'C-77' }, version: 7 };
    const to = { email: 'ada@y.test', name: 'Ada L.' };
    const [event] = await harness.handle({ campaign, contact: known, to });
    expect(queued(event).mail.text).toBe(
      [
        'mine',
        known.id,
        7,
        'ada@x.test',
        '+4915112345678',
        'C-77',
        campaign.id,
        'welcome',
        1,
        'Welcome mail',
        messageId(0),
        'r1',
        '2026-01-02T03:04:05.678Z',
        'ada@y.test',
        'Ada L.',
      ].join('\n'),
    );
  });

  it.each([
    ['at once', 0, '', 2],
    ['as they are made if that takes long', 300, '', 4],
    ['as they are made if they are large', 0, 'x'.repeat(50_000), 3],
  ])('renders a batch larger than a slice in order, and appends the mails %s', async (_what, ms, text, appends) => {
    let now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => (now += ms));
    const campaign = await launch({ subject: '{{ n }}', text });
    const events = await harness.handle(
      ...Array.from({ length: 230 }, (_, n) => ({ campaign, message_id: messageId(n), contact: contact({ n }) })),
    );
    expect(events.map((event) => queued(event).mail.subject)).toEqual(events.map((_, n) => String(n)));
    jest.restoreAllMocks();
    expect(harness.log.appends).toBe(appends);
  });

  it('rejects the batch as retryable while the log is unavailable', async () => {
    const campaign = await launch();
    harness.log.unavailable = true;
    await expect(harness.handle({ campaign })).rejects.toMatchObject({ retryable: true });
    harness.log.unavailable = false;
    expect(await harness.handle({ campaign })).toHaveLength(1);
  });
});
