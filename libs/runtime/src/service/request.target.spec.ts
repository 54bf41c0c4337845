import fc from 'fast-check';
import { isReadable, requestTarget, withoutEscapes } from './request.target';

describe('the target of a request', () => {
  it.each([
    ['/v2/messages?limit=1', '/v2/messages?limit=1'],
    ['/%76%32/send/email', '/v2/send/email'],
    ['/v2/messages?contact=%61%40b', '/v2/messages?contact=%61%40b'],
    ['/v2/contacts/email/a%2Fb%40x.org', '/v2/contacts/email/a%2Fb%40x.org'],
    ['/v2/contacts/crm/%2e%2E', '/v2/contacts/crm/..'],
    ['/v2/%2576', '/v2/%2576'],
    ['/v2/%', '/v2/%'],
    ['/v2/%zz%4', '/v2/%zz%4'],
    ['/v%3%32/messages', '/v%3%32/messages'],
    ['/%%37%36', '/%%37%36'],
    ['/%76%', '/%76%'],
    ['http://evil.example/v2/messages', '/v2/messages'],
    ['HTTPS://u:p@evil.example:1/%762/x?y=http://z', '/v2/x?y=http://z'],
    ['http://evil.example', '/'],
    ['http://evil.example?x=1', '/?x=1'],
    ['*', '*'],
  ])('%s is normalized to %s', (url, target) => {
    expect(requestTarget(url)).toBe(target);
  });

  it('stays the same when normalized again', () => {
    const piece = fc.constantFrom('%', '25', '7', '6', '/', 'v2', 'http://', '?', '#', '%76', '%2F', '..', 'ü');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const target = requestTarget(`/${pieces.join('')}`);
        expect(requestTarget(target)).toBe(target);
      }),
      { numRuns: 5_000 },
    );
  });

  it.each([
    ['/v2/messages/%C3%BC?x=%', true, '/v2/messages/%25C3%25BC?x=%'],
    ['/v2/messages/%ff', false, '/v2/messages/%25ff'],
    ['/v2/messages/%C3', false, '/v2/messages/%25C3'],
    ['/v2/%?x=%ff', false, '/v2/%25?x=%ff'],
    ['/v2/%zz#%', false, '/v2/%25zz#%'],
    ['/v2/messages', true, '/v2/messages'],
  ])('%s: its path can be read: %s; without its escapes it is %s', (target, readable, plain) => {
    expect(isReadable(target)).toBe(readable);
    expect(withoutEscapes(target)).toBe(plain);
    expect(isReadable(plain)).toBe(true);
  });
});
