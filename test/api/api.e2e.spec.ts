import { installed } from '../installations/installed';
import { API_KEY, type Answer, type Message } from '../installations/lettermill';
import { expectProblem } from './expect.problem';

interface Page {
  data: Message[];
  next_cursor: string | null;
}

describe('the HTTP surface', () => {
  const lettermill = installed({ MAX_BODY_BYTES: '65536' });
  beforeAll(() => lettermill.launch('order'));

  const post = (body: string | undefined, headers: Record<string, string> = {}) =>
    lettermill.call('POST', '/v2/send/email', body, headers);

  it('answers 401 to every call under /v2 without a valid key', async () => {
    for (const authorization of ['', 'Bearer wrong', `Basic ${API_KEY}`, `Bearer ${API_KEY}x`]) {
      const { status, headers } = await expectProblem(post('{}', { authorization }));
      expect(status).toBe(401);
      expect(headers.get('www-authenticate')).toBe('Bearer');
    }
    expect((await expectProblem(lettermill.call('GET', '/v2/nothing', undefined, { authorization: '' }))).status).toBe(
      401,
    );
  });

  it('ignores the Content-Type of a request without a body', async () => {
    const typed = (type: string) => ({ 'content-type': type });
    for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/plain']) {
      expect((await lettermill.call('PUT', '/v2/domains/bare.example', undefined, typed(type))).status).toBe(201);
      expect((await lettermill.call('DELETE', '/v2/domains/bare.example', undefined, typed(type))).status).toBe(204);
      expect((await lettermill.call('DELETE', '/v2/suppressions/a@b.example', '', typed(type))).status).toBe(404);
      expect((await lettermill.call('POST', '/v2/messages/none/cancel', '', typed(type))).status).toBe(404);
      const launched = await expectProblem(lettermill.call('PUT', '/v2/campaigns/bare', undefined, typed(type)));
      expect([launched.status, launched.problem.code]).toEqual([400, 'body_missing']);
    }
  });

  it('explains what is wrong with an invalid Content-Type', async () => {
    for (const type of ['', 'application/json, application/json', 'json']) {
      const { status, problem } = await expectProblem(post('{}', { 'content-type': type }));
      expect([status, problem.code]).toEqual([400, 'content_type_unsupported']);
      expect(problem.detail).toContain('one media type');
    }
  });

  it('names the content type that a bounce must have', async () => {
    const bounce = (body: string, type: string) =>
      expectProblem(lettermill.call('POST', '/v2/inbound/bounces', body, { 'content-type': type }));
    for (const body of ['{"a": 1}', 'From: a@b.example'])
      expect((await bounce(body, 'application/json')).problem.code).toBe('content_type_unsupported');
    // The Content-Type that curl sends with --data-binary by default.
    expect((await bounce('From: a@b.example', 'application/x-www-form-urlencoded')).problem.detail).toContain(
      'message/rfc822',
    );
    expect((await bounce('', 'message/rfc822')).problem.code).toBe('body_missing');
  });

  it.each([6000, 15_000])(
    'validates a query of %d characters, and refuses one over the header limit',
    async (length) => {
      const long = await expectProblem(lettermill.call('GET', `/v2/messages?contact=${'"'.repeat(length / 3)}`));
      expect([long.status, long.problem.instance]).toEqual([422, '/v2/messages']);
      const { status, problem } = await expectProblem(
        lettermill.call('GET', `/v2/messages?contact=${'a'.repeat(17_000)}`),
      );
      expect([status, problem.detail]).toEqual([400, 'The request line and headers have more than 16384 bytes.']);
    },
  );

  it('says in a 422 that nothing was changed or accepted, unless the call only reads', async () => {
    const unchanged = '1 rule is broken. Nothing was changed.';
    const unaccepted = '1 rule is broken. Nothing was accepted.';
    const cases = [
      ['GET', '/v2/messages?limit=x', undefined, '1 rule is broken.'],
      ['GET', '/v2/campaigns?limit=x&page=1', undefined, '2 rules are broken.'],
      ['PUT', '/v2/campaigns/order', { from: 'ada' }, /^\d rules are broken\. Nothing was changed\.$/],
      ['PUT', '/v2/domains/example.com', { sign: 'x' }, unchanged],
      ['PUT', '/v2/domains/localhost', undefined, unchanged],
      ['PUT', '/v2/suppressions/ada@example.com', { x: 1 }, unchanged],
      ['POST', '/v2/keys', { x: 1 }, unchanged],
      ['POST', '/v2/send/email', { campaign: 'order', to: 'ada' }, unaccepted],
      ['POST', '/v2/send/email', { campaign: 'none', to: 'ada@example.com' }, unaccepted],
    ] as const;
    for (const [method, path, body, detail] of cases) {
      const { problem } = await expectProblem(lettermill.call(method, path, body));
      expect([path, problem.code, problem.detail]).toEqual([
        path,
        'validation_failed',
        typeof detail === 'string' ? detail : expect.stringMatching(detail),
      ]);
    }
  });

  it('does not repeat an unreadable path in its refusal', async () => {
    const long = await expectProblem(lettermill.call('GET', `/v2/messages/${'a'.repeat(5000)}`));
    expect(long.status).toBe(400);
    expect(long.problem.detail).toBe('A part of the path has more than 1000 characters.');
    const broken = await expectProblem(lettermill.call('GET', '/v2/contacts/email/%ff'));
    expect([broken.status, broken.problem.detail]).toEqual([
      400,
      'An escape in the path is malformed, or is not UTF-8.',
    ]);
  });

  it.each(['/v2/campaigns', '/v2/campaigns/order', '/v2/domains', '/v2/keys', '/v2/messages/none', '/health/live'])(
    'answers HEAD %s with the status and headers of a GET',
    async (path) => {
      const [head, get] = [await lettermill.call('HEAD', path), await lettermill.call('GET', path)];
      const of = ({ status, headers }: Answer) => [status, headers.get('content-type'), headers.get('content-length')];
      expect(of(head)).toEqual(of(get));
    },
  );

  it('answers 404 and 405 with Allow, and 413 over the cap', async () => {
    expect((await expectProblem(lettermill.call('GET', '/v2/nothing'))).status).toBe(404);
    expect((await expectProblem(lettermill.call('GET', '/nothing'))).status).toBe(404);
    const wrong = await expectProblem(lettermill.call('GET', '/v2/send/email'));
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST']);
    for (const path of ['/v2/send/email/', '/v2/campaigns/', '/v2/campaigns/order/?a=b']) {
      const slash = await expectProblem(lettermill.call('POST', path, {}));
      expect([slash.status, slash.problem.detail]).toEqual([404, expect.stringMatching(/Remove the slash/)]);
    }
    for (const path of ['/v2/campaigns/', '/v2/messages/', '/v2/suppressions/?limit=5']) {
      const empty = await expectProblem(lettermill.call('GET', path));
      expect([empty.status, empty.problem.detail]).toEqual([404, expect.stringMatching(/Remove the slash/)]);
    }
    const nothing = await expectProblem(lettermill.call('GET', '/v2/contacts/email/'));
    expect([nothing.status, nothing.problem.detail]).toEqual([404, 'There is nothing at this path.']);
    const large = { campaign: 'order', to: 'a@example.com', message: { text: 'x'.repeat(70_000) } };
    expect((await expectProblem(lettermill.send(large))).status).toBe(413);
  });

  it('accepts an external_message_id once, even if requests are concurrent', async () => {
    const call = (address: string) => ({
      campaign: 'order',
      to: { contact_key: address, external_message_id: 'inv-1' },
    });
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => lettermill.send(call(`twin-${i}@example.com`))),
    );
    const accepted = answers.filter(({ status }) => status === 202);
    expect(accepted).toHaveLength(1);
    const { message_id } = accepted[0]!.body.messages[0]!;
    const { problem } = await expectProblem(lettermill.send(call('late@example.com')));
    expect(problem.errors).toMatchObject([
      { pointer: '/to/external_message_id', code: 'external_message_id_taken', message_id },
    ]);
    const found = await lettermill.call<{ data: Message[] }>('GET', '/v2/messages?external_message_id=inv-1');
    expect(found.body.data.map((message) => message.message_id)).toEqual([message_id]);
  });

  it('gives one answer to concurrent requests with one Idempotency-Key, and 422 to another body', async () => {
    const call = { campaign: 'order', to: ['i1@example.com', 'i2@example.com'] };
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => lettermill.send(call, { 'idempotency-key': 'twins' })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(202));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')).toHaveLength(9);
    const other = await expectProblem(
      lettermill.send({ ...call, to: 'i3@example.com' }, { 'idempotency-key': 'twins' }),
    );
    expect([other.status, other.problem.code]).toEqual([422, 'idempotency_key_reused']);
    expect(other.problem.errors).toMatchObject([{ pointer: '', code: 'body_differs' }]);
  });

  it('leaves the Idempotency-Key and id of a refused request unused', async () => {
    const to = { contact_key: 'burn@example.com', external_message_id: 'burn-1' };
    await expectProblem(lettermill.send({ campaign: 'no-such', to }, { 'idempotency-key': 'burn' }));
    const { status } = await lettermill.send({ campaign: 'order', to }, { 'idempotency-key': 'burn' });
    expect(status).toBe(202);
  });

  it('pages through a search without gaps or repeats, and refuses invalid parameters', async () => {
    const to = Array.from({ length: 25 }, (_, i) => `page-${i}@example.com`);
    const { body } = await lettermill.send({ campaign: 'order', to });
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const query: string = `request_id=${body.request_id}&limit=10${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`;
      const page: Answer<Page> = await lettermill.call<Page>('GET', `/v2/messages?${query}`);
      seen.push(...page.body.data.map(({ message_id }) => message_id));
      cursor = page.body.next_cursor;
    } while (cursor);
    expect(seen.sort()).toEqual(body.messages.map(({ message_id }) => message_id).sort());
    expect((await expectProblem(lettermill.call('GET', '/v2/messages?limit=0'))).status).toBe(422);
    expect((await expectProblem(lettermill.call('GET', '/v2/messages?colour=red'))).status).toBe(422);
  });

  it('answers 404 for messages, campaigns and contacts that do not exist', async () => {
    for (const path of [
      '/v2/messages/000000000000000000',
      '/v2/campaigns/no-such',
      '/v2/contacts/email/no@example.com',
    ]) {
      expect((await expectProblem(lettermill.call('GET', path))).status).toBe(404);
    }
  });

  it('adds the rate limit headers to every authenticated answer', async () => {
    for (const answer of [await lettermill.send({}), await lettermill.call('GET', '/v2/nothing')]) {
      const rate = (name: string) => Number(answer.headers.get(`x-ratelimit-${name}`) ?? NaN);
      expect(rate('limit')).toBe(6000);
      expect(rate('remaining')).toBeLessThan(6000);
      expect(rate('reset') * 1000).toBeGreaterThan(Date.now() - 1000);
    }
  });

  it('redirects from / to /docs, and from no other path', async () => {
    const open = (path: string, method = 'GET') => fetch(lettermill.url + path, { method, redirect: 'manual' });
    for (const [path, method] of [
      ['/', 'GET'],
      ['/', 'HEAD'],
      ['/?from=a%20browser', 'GET'],
    ] as const) {
      const { status, headers } = await open(path, method);
      expect([status, headers.get('location'), headers.get('x-ratelimit-limit')]).toEqual([302, '/docs', null]);
    }
    expect((await fetch(lettermill.url)).status).toBe(200);
    for (const path of ['//', '/%2F', '/index.html', '/docs.html', '/v1']) {
      expect((await expectProblem(lettermill.call('GET', path))).status).toBe(404);
    }
    expect((await open('/v2/')).status).toBe(401);
    const wrong = await expectProblem(lettermill.call('POST', '/', {}));
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});
