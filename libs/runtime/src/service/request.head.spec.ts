import type { FastifyRequest } from 'fastify';
import { hasNoBody, refuseBody, refuseHead } from './request.head';

function request(pairs: [string, string][], httpVersion = '1.1'): FastifyRequest {
  const headers = Object.fromEntries([...pairs].reverse().map(([name, value]) => [name.toLowerCase(), value]));
  return { headers, raw: { headers, httpVersion, rawHeaders: pairs.flat() } } as unknown as FastifyRequest;
}
const HOST: [string, string] = ['Host', 'a.test'];

describe('a request head', () => {
  it.each(['host', 'Content-Type', 'AUTHORIZATION'])(
    'may have %s only once: a proxy may have read the other one',
    (name) => {
      const twice = request([HOST, [name, 'a'], ['X-A', '1'], [name.toLowerCase(), 'b']]);
      const message = `The header ${name.toLowerCase()} is present more than once.`;
      expect(refuseHead(twice)).toMatchObject({ code: 'request_malformed', message });
    },
  );

  it('needs a host, except in HTTP/1.0, and may repeat other headers', () => {
    const accepts: [string, string][] = [
      ['accept', 'a'],
      ['accept', 'b'],
      ['authorization', 'x'],
    ];
    expect(refuseHead(request([HOST, ...accepts]))).toBeUndefined();
    expect(refuseHead(request(accepts))).toMatchObject({ code: 'request_malformed' });
    expect(refuseHead(request(accepts, '1.0'))).toBeUndefined();
  });

  it.each([
    ['application/json', undefined],
    ['application/json; charset=UTF-8', undefined],
    ['application/json;charset="utf8"', undefined],
    ['multipart/form-data; boundary=charset', undefined],
    ['application/json; Charset=latin1', 'body_not_utf8'],
    ['application/json; a=b; charset = "utf-16"', 'body_not_utf8'],
  ])('may name no charset but UTF-8 for the body: %s', (type, code) => {
    expect(refuseBody(request([HOST, ['Content-Type', type]]))?.code).toBe(code);
  });

  it.each(['gzip, chunked', 'chunked, chunked', 'identity'])(
    'may have no transfer coding but chunked: %s',
    (coding) => {
      const message = 'The body has a Transfer-Encoding other than chunked.';
      const encoded = (value: string) => refuseHead(request([HOST, ['Transfer-Encoding', value]]));
      expect(encoded(coding)).toMatchObject({ code: 'request_malformed', message });
      expect([encoded('chunked'), encoded('Chunked ')]).toEqual([undefined, undefined]);
    },
  );

  it('tells whether there is a body', () => {
    const none = [[], [['Content-Length', '0']]] as [string, string][][];
    const some = [[['Content-Length', '1']], [['Transfer-Encoding', 'chunked']]] as [string, string][][];
    expect(none.map((pairs) => hasNoBody(request(pairs).raw))).toEqual([true, true]);
    expect(some.map((pairs) => hasNoBody(request(pairs).raw))).toEqual([false, false]);
    expect(refuseBody(request([['Content-Encoding', 'gzip']]))?.code).toBe('content_encoding_unsupported');
  });
});
