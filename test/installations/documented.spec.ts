import { undocumented } from './documented';

const json = new Headers({ 'content-type': 'application/json' });
const problem = new Headers({ 'content-type': 'application/problem+json; charset=utf-8' });
const key = { id: '0123456789abcdef01', name: null, created_at: '2026-03-01T09:30:00.000Z', current: true };

describe('an answer held against the OpenAPI document', () => {
  const check = (status: number, headers: Headers, body: unknown, path = '/v2/keys') =>
    undocumented('GET', path, { status, headers, body });

  it('passes if it is as documented', () => {
    expect(check(200, json, { data: [key] })).toEqual([]);
    expect(check(200, json, { data: [key] }, '/v2/keys?limit=1')).toEqual([]);
  });

  it('fails with an undocumented status', () => {
    expect(check(418, problem, {})).toEqual(['GET /v2/keys 418 is not in the document']);
  });

  it('fails with an undocumented or missing property, however deep', () => {
    expect(check(200, json, { data: [{ ...key, secret: 'x' }] })).toEqual([expect.stringContaining('secret')]);
    expect(check(200, json, { data: [{ id: key.id, name: null }] })).toEqual([
      expect.stringContaining('/data/0'),
      expect.stringContaining('/data/0'),
    ]);
    expect(check(404, problem, { type: 'x' }, '/v2/messages/0WGrMLPZ3kQx7Tn2Bv')).not.toEqual([]);
  });

  it('fails with another media type or a missing header', () => {
    expect(check(200, new Headers({ 'content-type': 'text/html' }), '')).toEqual([
      expect.stringContaining('text/html'),
    ]);
    expect(check(401, new Headers({ 'content-type': 'application/problem+json' }), '')).toEqual([
      'GET /v2/keys 401 lacks WWW-Authenticate',
    ]);
  });

  it('fails with an undocumented header or code', () => {
    const tagged = new Headers({ 'content-type': 'application/json', etag: '"1"' });
    expect(check(200, tagged, { data: [key] })).toEqual([
      'GET /v2/keys 200 has the header etag, which is not in the document',
    ]);
    const refused = {
      type: 'https://a.example/',
      title: 'x',
      status: 422,
      detail: 'x',
      instance: '/v2/keys',
      request_id: 'x',
      code: 'key_in_use',
      fix: 'x',
    };
    expect(check(422, problem, refused)).toEqual([
      'GET /v2/keys 422 has the code key_in_use, which is not in the document',
    ]);
    expect(check(422, problem, { ...refused, code: 'validation_failed' })).toEqual([]);
  });

  it('is checked without its body for a HEAD', () => {
    expect(undocumented('HEAD', '/v2/keys', { status: 200, headers: json, body: '' })).toEqual([]);
    expect(undocumented('HEAD', '/v2/keys', { status: 418, headers: json, body: '' })).not.toEqual([]);
  });

  it('fails at an unknown path if it is not a full refusal', () => {
    expect(check(200, json, {}, '/v2/nothing')).toEqual(['GET /v2/nothing 200 is not in the document']);
    expect(check(404, json, {}, '/v2/nothing')).toEqual([expect.stringContaining('is application/json')]);
    expect(check(404, problem, { code: 'not_found' }, '/v2/nothing')).not.toEqual([]);
  });

  it('is not checked outside of the API', () => {
    expect(check(200, new Headers({ 'content-type': 'text/html' }), '', '/mailbox')).toEqual([]);
  });
});
