import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import type { CopyEntry } from './entries';
import { Journal } from './journal';
import { MailServer } from './mail.server';
import { HopTls, type TlsFault } from './mail.tls';

describe("the ledger's mail server", () => {
  let directory: string;
  let copies: Journal<CopyEntry>;
  let server: MailServer;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'lettermill-ledger-'));
    copies = await Journal.open(join(directory, 'copies.jsonl'));
    server = await new MailServer(copies, 100).listen();
  });
  afterEach(async () => {
    await server.close();
    await copies.close();
    await rm(directory, { recursive: true, force: true });
  });

  /** Sends all lines at once; resolves to what came back until the connection ended. */
  async function talk(...lines: string[]): Promise<string> {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    let heard = '';
    socket.setEncoding('latin1').on('data', (text: string) => (heard += text));
    socket.on('error', () => undefined);
    socket.write([...lines, 'QUIT', ''].join('\r\n'));
    await once(socket, 'close');
    return heard;
  }
  const mail = (address: string) => [
    'EHLO x',
    'MAIL FROM:<a@b.example>',
    `RCPT TO:<${address}>`,
    'DATA',
    'Message-ID: <1@x>',
    '',
    '..dot',
    '.',
  ];
  const codes = (heard: string) => heard.match(/^\d{3}(?= )/gm);

  it('records a copy without dot-stuffing before it answers', async () => {
    expect(codes(await talk(...mail('ok-1@example.com')))).toEqual(['220', '250', '250', '250', '354', '250', '221']);
    const [copy] = await copies.read();
    expect(copy).toMatchObject({
      to: ['ok-1@example.com'],
      message_id: '<1@x>',
      bytes: 'Message-ID: <1@x>\r\n\r\n.dot\r\n'.length,
    });
  });

  it.each([
    ['later1', 0],
    ['rejected', 0],
    ['garbagedot', 1],
    ['wrongdot', 1],
    ['tardot', 1],
    ['cutdot', 1],
    ['lostdot', 0],
  ])('shows the fault that the address asks for: %s', async (kind, kept) => {
    const heard = codes(await talk(...mail(`${kind}-1@example.com`)));
    expect(heard).not.toEqual(['220', '250', '250', '250', '354', '250', '221']);
    expect(await copies.read()).toHaveLength(kept);
  });

  it('accepts the same mail again after the fault', async () => {
    await talk(...mail('cutdot-1@example.com'));
    await talk(...mail('cutdot-1@example.com'));
    await talk(...mail('cutdot-1@example.com'));
    const hashes = (await copies.read()).map(({ sha256 }) => sha256);
    expect(hashes).toHaveLength(3);
    expect(new Set(hashes).size).toBe(1);
  });

  describe('with TLS', () => {
    const begin = async (faultyPart: number) => {
      await server.close();
      const tls = new HopTls('starttls', join(directory, 'trusted.pem'), faultyPart);
      server = await new MailServer(copies, 100, tls).listen();
      return tls;
    };

    it('notes what is said before TLS', async () => {
      await begin(0);
      expect(await talk('EHLO x', 'AUTH PLAIN x', 'MAIL FROM:<a@b.example>')).toContain('250-STARTTLS');
      expect(server.insecure).toEqual(['AUTH before TLS', 'MAIL before TLS']);
    });

    it('shows a certificate that is to be trusted, or one of three that are not', async () => {
      const tls = await begin(1);
      const faults = new Set(Array.from({ length: 500 }, () => tls.nextFault()));
      expect([...faults].filter((fault) => !tls.isTrustworthy(fault)).sort()).toEqual([
        'expired',
        'misnamed',
        'untrusted',
      ]);
      const { port } = new URL(server.url);
      const ca = await readFile(tls.trustFile);
      const verdicts: [TlsFault | undefined, string][] = [
        [undefined, 'trusted'],
        ['expired', 'CERT_HAS_EXPIRED'],
        ['misnamed', 'ERR_TLS_CERT_ALTNAME_INVALID'],
        ['untrusted', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
      ];
      for (const [fault, verdict] of verdicts) {
        jest.spyOn(tls, 'nextFault').mockReturnValue(fault);
        expect(await handshake(Number(port), ca)).toBe(verdict);
      }
    });
  });
});

/** Resolves to what a client that checks certificates thinks of the one that it is shown. */
async function handshake(port: number, ca: Buffer): Promise<string> {
  const plain = connect(port, '127.0.0.1');
  plain.write('STARTTLS\r\n');
  let heard = '';
  while (!heard.includes('220 go on')) heard += String((await once(plain, 'data'))[0]);
  plain.pause();
  const secure = connectTls({ socket: plain, host: 'localhost', ca });
  const verdict = await once(secure, 'secureConnect').then(
    () => 'trusted',
    ({ code }: NodeJS.ErrnoException) => code!,
  );
  secure.destroy();
  return verdict;
}
