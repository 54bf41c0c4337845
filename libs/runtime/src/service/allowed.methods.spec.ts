import { AllowedMethods } from './allowed.methods';

describe('methods of a path', () => {
  const methods = new AllowedMethods();
  methods.add(['GET', 'HEAD'], '/v2/messages/:message_id');
  methods.add('POST', '/v2/send/email');
  methods.add('PUT', '/v2/campaigns/:slug');
  methods.add('GET', '/v2/campaigns/:campaign');
  methods.add('GET', '/docs/*');

  it.each([
    ['/v2/send/email', ['POST']],
    ['/v2/messages/abc', ['GET', 'HEAD']],
    ['/v2/campaigns/x', ['GET', 'PUT']],
    ['/docs/a/b.js', ['GET']],
    ['/v2/messages', []],
    ['/v2/send/email/x', []],
    ['/v2/sendXemail', []],
    ['/v2/send/email/', []],
    ['/v2/messages/', []],
  ])('%s: %j', (path, expected) => {
    expect(methods.of(path)).toEqual(expected);
  });

  it('are those of all paths when none is given', () => {
    expect(methods.all()).toEqual(['GET', 'HEAD', 'POST', 'PUT']);
  });
});
