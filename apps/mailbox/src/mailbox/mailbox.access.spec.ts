import type { ExecutionContext } from '@nestjs/common';
import { Problem } from '@lettermill/problems';
import { isAtHome } from './mailbox.access';
import { MailboxGuard } from './mailbox.guard';

const HOST = { host: 'localhost:3000' };

describe('who reads the mailbox without a key', () => {
  it.each([
    ['a peer of the network', { peer: '192.168.1.7', headers: HOST }],
    ['a peer whose address only begins like loopback', { peer: '127.0.0.1.example', headers: HOST }],
    ['nobody in particular', { peer: undefined, headers: HOST }],
    ['a name that points at 127.0.0.1 (DNS rebinding)', { peer: '127.0.0.1', headers: { host: 'evil.example:3000' } }],
    ['a name below localhost', { peer: '127.0.0.1', headers: { host: 'localhost.evil.example' } }],
    ['a name that only ends in loopback', { peer: '127.0.0.1', headers: { host: 'x127.0.0.1' } }],
    ['no Host', { peer: '127.0.0.1', headers: {} }],
    ['a proxy: x-forwarded-for', { peer: '127.0.0.1', headers: { ...HOST, 'x-forwarded-for': '127.0.0.1' } }],
    ['a proxy: x-forwarded-host', { peer: '127.0.0.1', headers: { ...HOST, 'x-forwarded-host': 'a.example' } }],
    ['a proxy: forwarded', { peer: '127.0.0.1', headers: { ...HOST, forwarded: 'for=127.0.0.1' } }],
    ['a proxy: x-real-ip', { peer: '127.0.0.1', headers: { ...HOST, 'x-real-ip': '::1' } }],
    ['a proxy: via', { peer: '127.0.0.1', headers: { ...HOST, via: '1.1 proxy' } }],
    ['another website', { peer: '127.0.0.1', headers: { ...HOST, 'sec-fetch-site': 'cross-site' } }],
    [
      'another website that links here',
      { peer: '127.0.0.1', headers: { ...HOST, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' } },
    ],
    [
      'a page of another port that embeds',
      { peer: '127.0.0.1', headers: { ...HOST, 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' } },
    ],
    ['a page of another origin', { peer: '127.0.0.1', headers: { ...HOST, origin: 'http://localhost:8080' } }],
    ['a mail opened by itself', { peer: '127.0.0.1', headers: { ...HOST, origin: 'null' } }],
  ])('not %s', (_case, caller) => {
    expect(isAtHome(caller)).toBe(false);
  });

  it.each([
    ['a program of this machine', { peer: '127.0.0.1', headers: HOST }],
    ['one by the whole loopback net', { peer: '127.8.0.1', headers: { host: '127.8.0.1:3000' } }],
    ['one by IPv6', { peer: '::1', headers: { host: '[::1]:3000' } }],
    ['one by IPv4 in IPv6', { peer: '::ffff:127.0.0.1', headers: { host: 'LOCALHOST' } }],
    ['a person who types the address', { peer: '127.0.0.1', headers: { ...HOST, 'sec-fetch-site': 'none' } }],
    [
      'the page itself',
      { peer: '127.0.0.1', headers: { ...HOST, 'sec-fetch-site': 'same-origin', origin: 'http://localhost:3000' } },
    ],
    [
      'a link of a page of another port',
      { peer: '127.0.0.1', headers: { ...HOST, 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate' } },
    ],
  ])('%s', (_case, caller) => {
    expect(isAtHome(caller)).toBe(true);
  });
});

describe('MailboxGuard', () => {
  const hasKey = jest.fn((authorization: string | undefined) => Promise.resolve(authorization === 'Bearer right'));
  const guard = new MailboxGuard(hasKey, false);
  const open = new MailboxGuard(hasKey, true);
  const asked = (peer: string, headers: Record<string, string | undefined>, which = guard) =>
    which.canActivate({
      switchToHttp: () => ({ getRequest: () => ({ headers, raw: { socket: { remoteAddress: peer } } }) }),
    } as unknown as ExecutionContext);

  beforeEach(() => hasKey.mockClear());

  it('refuses without a key, and with a wrong one, and tells which is wanted', async () => {
    for (const headers of [{ host: 'mail.example' }, { host: 'mail.example', authorization: 'Bearer wrong' }]) {
      const refusal = await asked('10.0.0.9', headers).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(Problem);
      expect(refusal).toMatchObject({ code: 'unauthorized', headers: { 'www-authenticate': 'Bearer' } });
    }
  });

  it('hands on that keys can not be checked now', async () => {
    hasKey.mockRejectedValueOnce(Object.assign(new Error('away'), { retryable: true }));
    await expect(asked('10.0.0.9', { host: 'mail.example', authorization: 'Bearer right' })).rejects.toThrow('away');
  });

  it('takes a key from anywhere and asks for none at home', async () => {
    await expect(asked('10.0.0.9', { host: 'mail.example', authorization: 'Bearer right' })).resolves.toBe(true);
    hasKey.mockClear();
    await expect(asked('127.0.0.1', HOST)).resolves.toBe(true);
    expect(hasKey).not.toHaveBeenCalled();
  });

  it('takes the key as the password that a browser asks its user for, whatever the name', async () => {
    const basic = (pair: string) => ({ host: 'mail.example', authorization: `Basic ${btoa(pair)}` });
    await expect(asked('10.0.0.9', basic('ada:right'))).resolves.toBe(true);
    await expect(asked('10.0.0.9', basic(':right'))).resolves.toBe(true);
    for (const pair of ['ada:wrong', 'right', 'right:', 'a:b:right', 'ada:Bearer right'])
      await expect(asked('10.0.0.9', basic(pair))).rejects.toBeInstanceOf(Problem);
  });

  it('has a browser ask its user, and no other program', async () => {
    const challenge = async (accept: string) => {
      const refusal = await asked('10.0.0.9', { host: 'mail.example', accept }).catch((error: unknown) => error);
      return (refusal as Problem).headers['www-authenticate'];
    };
    expect(await challenge('text/html,application/xhtml+xml,*/*;q=0.8')).toMatch(
      /^Basic realm="[^"]+", charset="UTF-8"$/,
    );
    expect(await challenge('*/*')).toBe('Bearer');
  });

  it('asks nobody for a key once it is open, but for a loopback name and for no other website', async () => {
    await expect(asked('10.0.0.9', HOST, open)).resolves.toBe(true);
    for (const headers of [
      { host: 'rebound.example' },
      { ...HOST, origin: 'https://evil.example' },
      { ...HOST, 'x-forwarded-for': '203.0.113.9' },
    ]) {
      await expect(asked('10.0.0.9', headers, open)).rejects.toMatchObject({ code: 'unauthorized' });
    }
  });
});
