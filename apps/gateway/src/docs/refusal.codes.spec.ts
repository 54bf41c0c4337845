import { codesFor } from './refusal.codes';

describe('the problems documented for a call', () => {
  it('include validation_failed wherever a query may be wrong, if only because there is none', () => {
    for (const [path, method] of [
      ['/v2/messages', 'get'],
      ['/v2/messages/{message_id}', 'get'],
      ['/v2/messages/{message_id}/cancel', 'post'],
      ['/v2/campaigns/{slug}', 'put'],
      ['/v2/send/email', 'post'],
      ['/v2/inbound/bounces', 'post'],
    ] as const) {
      expect(codesFor(path, method)).toContain('validation_failed');
    }
    expect(codesFor('/health/live', 'get')).not.toContain('validation_failed');
  });

  it('include not_found if it names one thing', () => {
    expect(codesFor('/v2/messages/{message_id}', 'get')).toContain('not_found');
    for (const [path, method] of [
      ['/v2/messages', 'get'],
      ['/v2/campaigns/{slug}', 'put'],
    ] as const) {
      expect(codesFor(path, method)).not.toContain('not_found');
    }
  });

  it('include those of forms and of names of requests for the send call alone', () => {
    const ofNames = ['request_in_progress', 'idempotency_key_reused', 'earlier_call_unanswered'];
    const ofSend = ['multipart_malformed', 'multipart_json_missing', ...ofNames];
    expect(codesFor('/v2/send/email', 'post')).toEqual(expect.arrayContaining(ofSend));
    const ofAnother = codesFor('/v2/another', 'post');
    expect(ofAnother).toEqual(expect.arrayContaining(['body_missing', 'body_not_json', 'validation_failed']));
    expect(ofAnother.filter((code) => ofSend.includes(code))).toEqual([]);
  });

  it('include those of a slow or too large body wherever a body is read, required or not', () => {
    const ofBody = ['body_too_large', 'request_timeout'];
    for (const [path, method] of [
      ['/v2/send/email', 'post'],
      ['/v2/messages/{message_id}/retry', 'post'],
      ['/v2/keys/{key_id}', 'delete'],
      ['/v2/suppressions/{address}', 'delete'],
    ] as const) {
      expect(codesFor(path, method)).toEqual(expect.arrayContaining(ofBody));
    }
    expect(codesFor('/v2/messages', 'get').filter((code) => ofBody.includes(code))).toEqual([]);
  });

  it('include those of a key if the call needs one', () => {
    expect(codesFor('/v2/messages', 'get')).toEqual(expect.arrayContaining(['unauthorized', 'rate_limited']));
    expect(codesFor('/mailbox/api/messages', 'get')).toContain('unauthorized');
    expect(codesFor('/health/live', 'get')).toEqual(['request_malformed', 'internal_error']);
  });
});
