import { parseSmtpUrl } from './smtp.url';

describe('SMTP_URL', () => {
  it.each([
    ['smtp://hop', { host: 'hop', port: 25, implicitTls: false, tls: 'opportunistic', auth: null }],
    ['smtp://hop:2525', { port: 2525 }],
    ['smtps://hop', { port: 465, implicitTls: true }],
    ['smtps://u:p@hop:465', { port: 465, implicitTls: true }],
    ['smtp://127.0.0.1:465?tls=off', { port: 465, implicitTls: false }],
    ['smtp://[::1]:25?tls=off', { host: '::1', tls: 'off' }],
    ['smtp://hop?tls=off', { host: 'hop', tls: 'off', auth: null }],
    ['smtp://u:p%40ss@hop:587', { tls: 'require', auth: { user: 'u', pass: 'p@ss' } }],
    ['smtp://u:p@127.0.0.1?tls=off', { tls: 'off' }],
    ['smtp://hop?tls=require', { tls: 'require' }],
    ['smtp://u@hop', { tls: 'opportunistic', auth: { user: 'u', pass: '' } }],
    ['smtp://hop/', { host: 'hop', port: 25 }],
    ['smtp://bücher.example', { host: 'xn--bcher-kva.example' }],
    ['smtp://mail_1', { host: 'mail_1' }],
  ])('reads %s', (text, expected) => {
    expect(parseSmtpUrl(text)).toMatchObject(expected);
  });

  it.each([
    ['hop'],
    ['http://hop'],
    ['smtp://'],
    ['smtp://hop?tls=maybe'],
    ['smtp://hop?pool=1'],
    ['smtps://hop?tls=off'],
    ['smtp://u:p@hop?tls=opportunistic'],
    ['smtp://u:p@hop?tls=off'],
    ['smtp://u:p@127.0.0.1.example.com?tls=off'],
    ['smtp://hop:0'],
    ['smtp://u:p@hop:465'],
    ['smtp://h%20p'],
    ['smtp://h%p'],
    ['smtp://hop/path'],
    ['smtp://u:12/34@hop'],
    ['smtp://hop#more'],
    ['smtp://hop?tls=require&tls=off'],
    ['smtp://:p@hop'],
    ['smtp://u:100%@hop'],
  ])('refuses %s', (text) => {
    expect(typeof parseSmtpUrl(text)).toBe('string');
  });

  it.each(['smtp://u:se/cret@hop', 'smtp://u:se#cret@hop', 'smtp://u:se?cret@hop', 'smtp://u:se%cret@hop'])(
    'explains how to write the password that makes %s invalid',
    (text) => {
      expect(parseSmtpUrl(text)).toMatch(/%2F.*%25/);
      expect(parseSmtpUrl(text)).not.toContain('cret');
    },
  );

  it('never repeats a password', () => {
    for (const url of ['smtp://u:geheim@hop?tls=off', 'smtp://u:12?geheim@hop', 'smtp://u:12/geheim@hop']) {
      expect(parseSmtpUrl(url)).not.toContain('geheim');
    }
  });
});
