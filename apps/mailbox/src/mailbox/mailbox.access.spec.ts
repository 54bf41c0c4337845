import type { ExecutionContext } from '@nestjs/common';
import { Problem } from '@lettermill/problems';
import { isLocalCaller, keylessCallers } from './mailbox.access';
import { MailboxGuard } from './mailbox.guard';

const HOST = { host: 'localhost:3000' };

describe('reading the mailbox without a key', () => {
  it.each([
    ['a peer of the network', { peer: '192.168.1.7', headers: HOST }],
    ['a peer whose address only begins like loopback', { peer: '127.0.0.1.example', headers: HOST }],
    ['an unknown peer', { peer: undefined, headers: HOST }],
    ['a name that points at 127.0.0.1 (DNS rebinding)', { peer: '127.0.0.1', headers: { host: 'evil.example:3000' } }],
    ['a name below localhost', { peer: '127.0.0.1', headers: { host: 'localhost.evil.example' } }],
    ['a name that only ends in loopback', { peer: '127.0.0.1', headers: { host: 'x127.0.0.1' } }],
    ['a request without Host', { peer: '127.0.0.1', headers: {} }],
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
      'a page of another port that embeds it',
      { peer: '127.0.0.1', headers: { ...HOST, 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' } },
    ],
    ['a page of another origin', { peer: '127.0.0.1', headers: { ...HOST, origin: 'http://localhost:8080' } }],
    ['a mail opened on its own', { peer: '127.0.0.1', headers: { ...HOST, origin: 'null' } }],
  ])('is refused to %s', (_case, caller) => {
    expect(isLocalCaller(caller)).toBe(false);
  });

  it.each([
    ['a program of this machine', { peer: '127.0.0.1', headers: HOST }],
    ['a program by another loopback address', { peer: '127.8.0.1', headers: { host: '127.8.0.1:3000' } }],
    ['a program by IPv6', { peer: '::1', headers: { host: '[::1]:3000' } }],
    ['a program by IPv4-mapped IPv6', { peer: '::ffff:127.0.0.1', headers: { host: 'LOCALHOST' } }],
    ['a person who types the address', { peer: '127.0.0.1', headers: { ...HOST, 'sec-fetch-site': 'none' } }],
    [
      'the page itself',
      { peer: '127.0.0.1', headers: { ...HOST, 'sec-fetch-site': 'same-origin', origin: 'http://localhost:3000' } },
    ],
    [
      'a link of a page of another port',
      { peer: '127.0.0.1', headers: { ...HOST, 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate' } },
    ],
  ])('is allowed to %s', (_case, caller) => {
    expect(isLocalCaller(caller)).toBe(true);
  });
});

describe('those who need no key', () => {
  it.each([
    ['callers on this machine', null, false, 'local'],
    ['callers on this machine', 'http://localhost:3000', false, 'local'],
    ['callers on this machine', 'http://[::1]:3000', false, 'local'],
    ['nobody', 'https://mail.example.com', false, 'none'],
    ['nobody', 'https://localhost.example.com', false, 'none'],
    ['all that reach the port', 'https://mail.example.com', true, 'all'],
  ])('are %s if PUBLIC_URL is %s and MAILBOX_OPEN %s', (_who, publicUrl, open, keyless) => {
    expect(keylessCallers({ publicUrl, mailbox: { open, smtpPort: 0 } })).toBe(keyless);
  });
});

describe('MailboxGuard', () => {
  const hasKey = jest.fn((authorization: string | undefined) => Promise.resolve(authorization === 'Bearer right'));
  const guard = new MailboxGuard(hasKey, 'local');
  const open = new MailboxGuard(hasKey, 'all');
  const canActivate = (peer: string, headers: Record<string, string | undefined>, which = guard) =>
    which.canActivate({
      switchToHttp: () => ({ getRequest: () => ({ headers, raw: { socket: { remoteAddress: peer } } }) }),
    } as unknown as ExecutionContext);

  beforeEach(() => hasKey.mockClear());

  it('refuses a missing or wrong key, and says that it wants a Bearer key', async () => {
    for (const headers of [{ host: 'mail.example' }, { host: 'mail.example', authorization: 'Bearer wrong' }]) {
      const refusal = await canActivate('10.0.0.9', headers).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(Problem);
      expect(refusal).toMatchObject({ code: 'unauthorized', headers: { 'www-authenticate': 'Bearer' } });
    }
  });

  it('passes on the error if keys cannot be checked now', async () => {
    hasKey.mockRejectedValueOnce(Object.assign(new Error('away'), { retryable: true }));
    await expect(canActivate('10.0.0.9', { host: 'mail.example', authorization: 'Bearer right' })).rejects.toThrow(
      'away',
    );
  });

  it('accepts a key from anywhere, and needs none on this machine', async () => {
    await expect(canActivate('10.0.0.9', { host: 'mail.example', authorization: 'Bearer right' })).resolves.toBe(true);
    hasKey.mockClear();
    await expect(canActivate('127.0.0.1', HOST)).resolves.toBe(true);
    expect(hasKey).not.toHaveBeenCalled();
  });

  it('needs a key from this machine, too, if nobody is known to be there', async () => {
    const closed = new MailboxGuard(hasKey, 'none');
    await expect(canActivate('127.0.0.1', HOST, closed)).rejects.toMatchObject({ code: 'unauthorized' });
    await expect(canActivate('127.0.0.1', { ...HOST, authorization: 'Bearer right' }, closed)).resolves.toBe(true);
  });

  it('accepts the key as the password of a browser user, whatever the user name', async () => {
    const basic = (pair: string) => ({ host: 'mail.example', authorization: `Basic ${btoa(pair)}` });
    await expect(canActivate('10.0.0.9', basic('ada:right'))).resolves.toBe(true);
    await expect(canActivate('10.0.0.9', basic(':right'))).resolves.toBe(true);
    for (const pair of ['ada:wrong', 'right', 'right:', 'a:b:right', 'ada:Bearer right'])
      await expect(canActivate('10.0.0.9', basic(pair))).rejects.toBeInstanceOf(Problem);
  });

  it('asks the user of a browser for a password, and no other program', async () => {
    const challenge = async (accept: string) => {
      const refusal = await canActivate('10.0.0.9', { host: 'mail.example', accept }).catch((error: unknown) => error);
      return (refusal as Problem).headers['www-authenticate'];
    };
    expect(await challenge('text/html,application/xhtml+xml,*/*;q=0.8')).toMatch(
      /^Basic realm="[^"]+", charset="UTF-8"$/,
    );
    expect(await challenge('*/*')).toBe('Bearer');
  });

  it('if open, needs no key for a loopback name, but for other names, websites and proxies', async () => {
    await expect(canActivate('10.0.0.9', HOST, open)).resolves.toBe(true);
    for (const headers of [
      { host: 'rebound.example' },
      { ...HOST, origin: 'https://evil.example' },
      { ...HOST, 'x-forwarded-for': '203.0.113.9' },
    ]) {
      await expect(canActivate('10.0.0.9', headers, open)).rejects.toMatchObject({ code: 'unauthorized' });
    }
  });
});
