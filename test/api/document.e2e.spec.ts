import { installed } from '../installations/installed';

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  example?: unknown;
}
interface Operation {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { examples?: Record<string, { value: unknown }> }> };
}
interface Description {
  paths: Record<string, Record<string, Operation>>;
}

describe('the OpenAPI document of a running instance', () => {
  const lettermill = installed();
  let paths: Description['paths'];

  beforeAll(async () => {
    await lettermill.launch('welcome');
    paths = (await lettermill.call<Description>('GET', '/openapi.json')).body.paths;
  });

  const operations = () =>
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
    );

  it('is served in one form: making others for each request would delay mails', async () => {
    const forms = ['/openapi.yaml', '/docs-json', '/docs-yaml'].map((path) => lettermill.call('GET', path));
    expect((await Promise.all(forms)).map(({ status }) => status)).toEqual([404, 404, 404]);
  });

  it('has an example for each path parameter', () => {
    const without = operations().flatMap(({ method, path, parameters = [] }) =>
      parameters.filter((one) => one.in === 'path' && one.example === undefined).map((one) => [method, path, one.name]),
    );
    expect(without).toEqual([]);
  });

  const addressOf = (path: string, parameters: Parameter[]) =>
    path.replace(/\{(\w+)\}/g, (_, name) =>
      encodeURIComponent(String(parameters.find((one) => one.name === name)?.example)),
    );

  it('has no call under /v2 that ignores a query parameter', async () => {
    const calls = operations().filter(({ path }) => path.startsWith('/v2/'));
    const [mail, typed] = ['From: a@b.example', { 'content-type': 'message/rfc822' }];
    for (const { method, path, parameters = [], requestBody: { content = {} } = {} } of calls) {
      const [example] = Object.values(content['application/json']?.examples ?? {});
      const [body, headers] = 'message/rfc822' in content ? [mail, typed] : [example?.value, {}];
      const target = `${addressOf(path, parameters)}?dry_run=true`;
      const { status, body: problem } = await lettermill.call(method, target, body, headers);
      expect({ method, path, status, problem }).toMatchObject({
        status: 422,
        problem: { code: 'validation_failed', errors: [{ pointer: '/query/dry_run', code: 'unknown_property' }] },
      });
    }
    expect(calls.length).toBeGreaterThan(20);
  });

  it('has no example body that is refused', async () => {
    const answers: unknown[] = [];
    for (const { method, path, parameters = [], requestBody } of operations()) {
      const address = addressOf(path, parameters);
      const { examples = {} } = requestBody?.content['application/json'] ?? {};
      for (const [name, { value }] of Object.entries(examples)) {
        const { status, body } = await lettermill.call<{ errors?: unknown }>(method, address, value);
        answers.push({ method, path, name, taken: status < 300, errors: body.errors });
      }
    }
    expect(answers.length).toBeGreaterThan(6);
    expect(answers).toEqual(answers.map((answer) => ({ ...(answer as object), taken: true, errors: undefined })));
  });

  it('is served without a key, as are its page, health and metrics', async () => {
    const open = (path: string) => lettermill.call(`GET`, path, undefined, { authorization: '' });
    expect((await open('/health/live')).status).toBe(200);
    expect((await open('/health/ready')).status).toBe(200);
    const metrics = String((await open('/metrics')).body);
    for (const name of ['lettermill_http_request_seconds', 'process_resident_memory_bytes', 'lettermill_build_info']) {
      expect(metrics).toContain(name);
    }
    const { body } = await open('/openapi.json');
    expect(body).toMatchObject({
      openapi: '3.1.0',
      paths: { '/v2/send/email': { post: { operationId: 'sendEmail' } } },
    });
    const page = await open('/docs');
    expect(page.status).toBe(200);
    // The page works without internet access: it loads everything from this server.
    const loaded = [...String(page.body).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address!);
    expect(loaded.length).toBeGreaterThan(3);
    for (const address of loaded) {
      const { origin, pathname } = new URL(address, `${lettermill.url}/docs`);
      expect([origin, (await open(pathname)).status]).toEqual([lettermill.url, 200]);
    }
  });
});
