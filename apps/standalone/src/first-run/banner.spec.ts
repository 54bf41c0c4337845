import { banner } from './banner';

describe('the banner', () => {
  const bannerFor = (gatewayUrl: string, nextHop?: string) =>
    banner({ gatewayUrl, key: 'lm_key', dataDir: '/data', ...(nextHop && { nextHop }) });

  it.each([
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000'],
    ['http://0.0.0.0:3000', 'http://127.0.0.1:3000'],
    ['http://[::]:3000', 'http://127.0.0.1:3000'],
    ['http://192.0.2.7:3000', 'http://192.0.2.7:3000'],
  ])('for a process at %s shows a call of %s', (gatewayUrl, called) => {
    const text = bannerFor(gatewayUrl);
    expect(text).toContain(`curl -s ${called}/v2/send/email`);
    expect(new Set(text.match(/http:\/\/[^/\s]+/g))).toEqual(new Set([called]));
  });

  it('quotes an address that a shell takes for a pattern', () => {
    expect(bannerFor('http://[::1]:3000')).toContain("curl -s 'http://[::1]:3000/v2/send/email' \\\n");
  });

  it('shows the key in a call that works as pasted, and a given key by its variable only', () => {
    expect(bannerFor('http://127.0.0.1:3000')).toMatch(/API key +lm_key\n[^]*-H 'Authorization: Bearer lm_key' \\\n/);
    const given = banner({ gatewayUrl: 'http://127.0.0.1:3000', key: null, dataDir: '/data' });
    expect(given).toMatch(
      /API key +the one in BOOTSTRAP_API_KEY\n[^]*-H "Authorization: Bearer \$BOOTSTRAP_API_KEY" \\\n/,
    );
  });

  it('names the next hop, and then no mailbox', () => {
    const text = bannerFor('http://127.0.0.1:3000', 'mail.example.com:587');
    expect(text).toContain('mails leave through mail.example.com:587');
    expect(text).not.toContain('mailbox');
  });
});
