import type { CampaignLaunched } from '@lettermill/events';
import { LibsqlCampaignStore } from './campaigns.store.libsql';
import { RendererHarness } from '../testing/renderer.harness';

const PATH = '/v2/campaigns/welcome';
const LAUNCH = { from: 'shop@x.test', subject: 'Hi {{ first_name }}', text: 'Hello {{ first_name }}' };
const MJML =
  '<mjml><mj-body><mj-section><mj-column><mj-text>Hi {{ n }}</mj-text></mj-column></mj-section></mj-body></mjml>';
const file = (file_name: string, bytes: number, cid?: string) => ({
  attachment_type: 'file',
  file_name,
  data: Buffer.alloc(bytes, file_name).toString('base64'),
  cid,
});
const INVITATION = { ...file('i.ics', 0), data: Buffer.from('METHOD:REQUEST').toString('base64') };

describe('campaigns', () => {
  let harness: RendererHarness;
  beforeEach(async () => {
    harness = await RendererHarness.open();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await harness.close();
  });
  const announced = () => harness.log.events.map(({ data }) => data as CampaignLaunched);

  describe('are refused', () => {
    it('without the signature of the gateway', async () => {
      expect(await harness.inject('PUT', PATH, LAUNCH)).toMatchObject({ status: 401 });
      expect(await harness.inject('GET', PATH)).toMatchObject({ status: 401 });
      expect(await harness.inject('GET', '/v2/campaigns')).toMatchObject({ status: 401 });
    });

    it('with every fault at once, templates included', async () => {
      const { status, body } = await harness.call('PUT', '/v2/campaigns/x', {
        from: 'nobody',
        subject: '{{ a',
        html: '<p>\n{% if %}</p>',
        unknown: 1,
      });
      expect(status).toBe(422);
      const found = (body.errors as { pointer: string; code: string }[]).map(({ pointer, code }) => [pointer, code]);
      expect(found).toEqual(
        expect.arrayContaining([
          ['', 'bad_format'],
          ['/from', 'invalid_email'],
          ['/unknown', 'unknown_property'],
          ['/subject', 'template_invalid'],
          ['/html', 'template_invalid'],
        ]),
      );
      expect(harness.log.records).toEqual([]);
    });

    it('with invalid MJML', async () => {
      const { status, body } = await harness.call('PUT', PATH, {
        ...LAUNCH,
        html: '<mjml><mj-body><mj-x/></mj-body></mjml>',
      });
      expect(status).toBe(422);
      expect(body.errors).toMatchObject([{ pointer: '/html', code: 'template_invalid' }]);
    });

    it('with an unsubscribe link that its mails do not have', async () => {
      const html = '<a href="{{ message.unsubscribe_url }}">Leave</a>';
      const { status, body } = await harness.call('PUT', PATH, { ...LAUNCH, html });
      expect(status).toBe(422);
      const detail = expect.stringMatching(/^Line 1, column 10: .*"unsubscribe": "one_click"/);
      expect(body.errors).toEqual([{ pointer: '/html', code: 'template_invalid', detail }]);
      for (const fine of [
        { html, unsubscribe: 'one_click' },
        { html: `{% if message.unsubscribe_url %}${html}{% endif %}` },
      ])
        expect(await harness.call('PUT', PATH, { ...LAUNCH, ...fine })).toMatchObject({ body: { html: fine.html } });
    });

    it('with more than 10 MiB of attachments, at the one that exceeds it', async () => {
      const half = 5 * 1024 * 1024;
      const exact = { ...LAUNCH, attachments: [file('a.bin', half), file('b.bin', half)] };
      expect(await harness.call('PUT', PATH, exact)).toMatchObject({ status: 201 });
      const over = { ...LAUNCH, attachments: [...exact.attachments, file('c.bin', 1)] };
      const { status, body } = await harness.call('PUT', PATH, over);
      expect(status).toBe(422);
      expect(body.errors).toMatchObject([{ pointer: '/attachments/2', code: 'attachments_too_large' }]);
    });

    it('under the id of another campaign, which could no longer be found by it', async () => {
      const { body: first } = await harness.call('PUT', PATH, LAUNCH);
      const byId = `/v2/campaigns/${String(first.id)}`;
      const { status, body } = await harness.call('PUT', byId, { ...LAUNCH, foo: 1 });
      expect(status).toBe(422);
      expect(body.errors).toMatchObject([
        { pointer: '/foo', code: 'unknown_property' },
        { pointer: '', code: 'slug_is_an_id', detail: expect.stringContaining('«welcome»') },
      ]);
      expect((await harness.call('GET', byId)).body).toMatchObject({ slug: 'welcome', version: 1 });
      // Another slug may look like an id, and the id of a campaign of another account may be used as a slug.
      expect(await harness.call('PUT', '/v2/campaigns/A00000000000000000', LAUNCH)).toMatchObject({ status: 201 });
      expect(await harness.call('PUT', byId, LAUNCH, 'b')).toMatchObject({ status: 201 });
    });

    it('but not under the id of another if they already exist there: the next version is launched', async () => {
      const { body: first } = await harness.call('PUT', PATH, LAUNCH);
      const id = String(first.id);
      // The campaign was launched under that slug before such launches were refused.
      const latest = LibsqlCampaignStore.prototype.latest;
      jest
        .spyOn(LibsqlCampaignStore.prototype, 'latest')
        .mockImplementationOnce(() => Promise.resolve(undefined))
        .mockImplementation(latest);
      expect(await harness.call('PUT', `/v2/campaigns/${id}`, LAUNCH)).toMatchObject({ status: 201 });
      const next = { ...LAUNCH, subject: 'Second' };
      const again = await harness.call('PUT', `/v2/campaigns/${id}`, next);
      expect(again).toMatchObject({ status: 200, body: { slug: id, version: 2 } });
    });

    it('with 404 if there is none, or it belongs to another account', async () => {
      await harness.call('PUT', PATH, LAUNCH);
      for (const path of ['/v2/campaigns/other', '/v2/campaigns/A00000000000000000', '/v2/campaigns/a%2Fb']) {
        expect(await harness.call('GET', path)).toMatchObject({ status: 404, body: { code: 'not_found' } });
      }
      expect(await harness.call('GET', PATH, undefined, 'b')).toMatchObject({ status: 404 });
      expect((await harness.call('GET', '/v2/campaigns', undefined, 'b')).body).toEqual({
        data: [],
        next_cursor: null,
      });
    });

    it.each(['limit=0', 'limit=101', 'limit=x', 'limit=1&limit=2', 'cursor=%27', 'cursor=short', 'sort=name'])(
      'when listed with %s',
      async (query) => {
        expect(await harness.call('GET', `/v2/campaigns?${query}`)).toMatchObject({ status: 422 });
      },
    );
  });

  describe('when launched', () => {
    it('are returned with all their fields', async () => {
      const launch = {
        ...LAUNCH,
        name: 'Welcome',
        from: { email: 'shop@x.test', name: 'Shop' },
        html: MJML,
        priority: 'high',
        on_uncertain: 'hold',
        on_missing: 'fail',
        valid_for: 3600,
        unsubscribe: 'one_click',
        reply_to: 'help@x.test',
        cc: ['cc@x.test'],
        bcc: [{ email: 'bcc@x.test', name: 'B' }],
        headers: { 'X-Tag': 'a' },
        in_reply_to: '<1@x.test>',
        attachments: [file('logo.png', 3, 'logo'), file('terms', 4), INVITATION],
      };
      const { status, body } = await harness.call('PUT', PATH, launch);
      expect(status).toBe(201);
      expect(body).toEqual({
        ...launch,
        id: expect.stringMatching(/^[A-Za-z0-9]{18}$/),
        slug: 'welcome',
        version: 1,
        launched_at: expect.stringMatching(/Z$/),
        reply_to: { email: 'help@x.test' },
        cc: [{ email: 'cc@x.test' }],
        attachments: [
          { file_name: 'logo.png', content_type: 'image/png', size: 3, cid: 'logo' },
          { file_name: 'terms', content_type: 'application/octet-stream', size: 4 },
          { file_name: 'i.ics', content_type: 'text/calendar; method=REQUEST', size: 14 },
        ],
      });
      expect((await harness.call('GET', PATH)).body).toEqual(body);
      expect((await harness.call('GET', `/v2/campaigns/${body.id}`)).body).toEqual(body);
      expect([...harness.blobs.content.values()].map(({ keep }) => keep)).toEqual(['forever', 'forever', 'forever']);
    });

    it('are announced in the form in which they were launched', async () => {
      const { body } = await harness.call('PUT', PATH, { ...LAUNCH, html: MJML });
      expect(harness.log.events).toMatchObject([{ type: 'CampaignLaunched', key: 'a:welcome', id: `${body.id}/v1` }]);
      expect(announced()).toMatchObject([{ account_id: 'a', id: body.id, version: 1, message: { html: MJML } }]);
    });

    it('get a new version if the content differs, and keep the version if it is the same', async () => {
      const first = await harness.call('PUT', PATH, LAUNCH);
      const again = await harness.call('PUT', PATH, { ...LAUNCH, from: { email: 'shop@x.test' }, priority: 'normal' });
      const other = await harness.call('PUT', PATH, { ...LAUNCH, subject: 'Other' });
      const back = await harness.call('PUT', PATH, LAUNCH);
      expect([first, again, other, back].map(({ status }) => status)).toEqual([201, 200, 200, 200]);
      expect([first, again, other, back].map(({ body }) => body.version)).toEqual([1, 1, 2, 3]);
      expect(new Set([first, again, other, back].map(({ body }) => body.id)).size).toBe(1);
      expect(announced().map(({ version }) => version)).toEqual([1, 2, 3]);
    });

    it('get a version each if launched concurrently, and the newest is announced last', async () => {
      const launches = Array.from({ length: 12 }, (_, n) =>
        harness.call('PUT', PATH, { ...LAUNCH, subject: `Subject ${n}` }),
      );
      const answers = await Promise.all(launches);
      expect(answers.map(({ body }) => body.version).sort((a, b) => a - b)).toEqual(launches.map((_, n) => n + 1));
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
      expect(announced().at(-1)!.version).toBe(12);
      expect(new Set(announced().map(({ version }) => version)).size).toBe(12);
    });

    it('keep large bodies in the blob store', async () => {
      const html = `<p>{{ n }}</p>${'é'.repeat(200_000)}`;
      const { body } = await harness.call('PUT', PATH, { ...LAUNCH, html });
      expect(body.html).toBe(html);
      expect(announced()[0]!.message.html).toEqual({ blob: expect.any(String), size: Buffer.byteLength(html) });
      expect((await harness.call('GET', PATH)).body.html).toBe(html);
      await harness.call('PUT', PATH, { ...LAUNCH, html: MJML.replace('Hi', 'é'.repeat(200_000)) });
      // Three blobs: its text, its MJML, and the html compiled from that. A campaign is used for years.
      expect([...harness.blobs.content.values()].map(({ keep }) => keep)).toEqual(Array(3).fill('forever'));
    });

    it('are listed newest first, without bodies, page by page', async () => {
      for (const slug of ['one', 'two', 'three']) await harness.call('PUT', `/v2/campaigns/${slug}`, LAUNCH);
      const first = await harness.call('GET', '/v2/campaigns?limit=2');
      expect(first.body.data).toMatchObject([
        { slug: 'three', attachments: [] },
        { slug: 'two', subject: LAUNCH.subject },
      ]);
      expect(first.body.data[0]).not.toHaveProperty('text');
      const second = await harness.call('GET', `/v2/campaigns?limit=2&cursor=${first.body.next_cursor}`);
      expect(second.body).toMatchObject({ data: [{ slug: 'one' }], next_cursor: null });
    });
  });

  describe('whose announcement failed', () => {
    it('are announced by the next launch of the same content', async () => {
      harness.log.unavailable = true;
      expect(await harness.call('PUT', PATH, LAUNCH)).toMatchObject({ status: 503 });
      harness.log.unavailable = false;
      expect(await harness.call('PUT', PATH, LAUNCH)).toMatchObject({ status: 200, body: { version: 1 } });
      // The renderer itself may announce the version a second time; consumers recognise it.
      expect(new Set(announced().map(({ version }) => version))).toEqual(new Set([1]));
      const before = announced().length;
      await harness.call('PUT', PATH, LAUNCH);
      expect(announced()).toHaveLength(before);
    });

    it('are not reported as launched while the log is unavailable, however often they are launched', async () => {
      harness.log.unavailable = true;
      expect(await harness.call('PUT', PATH, LAUNCH)).toMatchObject({ status: 503 });
      expect(await harness.call('PUT', PATH, LAUNCH)).toMatchObject({ status: 503 });
      expect(announced()).toEqual([]);
    });

    it('are announced when the log is available again, without another launch', async () => {
      harness.log.unavailable = true;
      expect(await harness.call('PUT', PATH, LAUNCH)).toMatchObject({ status: 503 });
      harness.log.unavailable = false;
      while (announced().length === 0) await new Promise(setImmediate);
      expect(announced()).toMatchObject([{ version: 1 }]);
    });

    it('are announced at the next start', async () => {
      harness.log.unavailable = true;
      await harness.call('PUT', PATH, LAUNCH);
      await harness.call('PUT', PATH, { ...LAUNCH, subject: 'Second' });
      await harness.call('PUT', '/v2/campaigns/other', LAUNCH, 'b');
      await harness.stop();
      harness.log.unavailable = false;
      await harness.start();
      await harness.stop();
      expect(announced().map(({ account_id, slug, version }) => [account_id, slug, version])).toEqual([
        ['a', 'welcome', 1],
        ['a', 'welcome', 2],
        ['b', 'other', 1],
      ]);
      await harness.start();
      expect(announced()).toHaveLength(3);
    });

    it('are announced again if the process died before it noted the announcement', async () => {
      jest.spyOn(LibsqlCampaignStore.prototype, 'markPublished').mockRejectedValueOnce(new Error('died'));
      expect(await harness.call('PUT', PATH, LAUNCH)).toMatchObject({ status: 500 });
      await harness.stop();
      await harness.start();
      await harness.stop();
      expect(announced()).toMatchObject([{ version: 1 }, { version: 1 }]);
      await harness.start();
    });
  });
});
