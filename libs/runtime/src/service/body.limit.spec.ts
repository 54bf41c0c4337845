import { bodyLimitOf, LEAST_FORWARDED_BODY_BYTES } from './body.limit';

const LEAST_MAX_BODY_BYTES = 2048;
const DEFAULT_MAX_BODY_BYTES = 33_554_432;

describe('the largest body of a call', () => {
  it('is MAX_BODY_BYTES where callers reach the server themselves', () => {
    expect(bodyLimitOf({ maxBodyBytes: LEAST_MAX_BODY_BYTES, behindGateway: false })).toBe(LEAST_MAX_BODY_BYTES);
  });

  it('has room behind the gateway for what the gateway makes of a body that it accepted', () => {
    const behindGateway = true;
    expect(bodyLimitOf({ maxBodyBytes: LEAST_MAX_BODY_BYTES, behindGateway })).toBe(LEAST_FORWARDED_BODY_BYTES);
    expect(bodyLimitOf({ maxBodyBytes: DEFAULT_MAX_BODY_BYTES, behindGateway })).toBe(DEFAULT_MAX_BODY_BYTES);
  });
});
