import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { installed } from '../installations/installed';
import { API_KEY } from '../installations/lettermill';

const MIB = 1024 * 1024;
const BODY_BYTES = 64 * MIB;
const BLANKS = Buffer.alloc(MIB, ' ');

/** A client that writes all it has before it reads a byte. */
class BlindWriter {
  private readonly socket: Socket;
  readonly closed: Promise<unknown>;
  failure: Error | undefined;

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1').pause();
    this.closed = new Promise((resolve) => this.socket.once('close', resolve));
    this.socket.on('error', (error) => (this.failure = error));
  }

  writeHead(...headers: string[]): void {
    this.socket.write(['POST /v2/send/email HTTP/1.1', 'host: a.example', ...headers, '', ''].join('\r\n'));
  }

  async write(bytes: Buffer | string): Promise<void> {
    if (!this.socket.write(bytes)) await Promise.race([once(this.socket, 'drain').catch(() => undefined), this.closed]);
  }

  /** Writes pieces, as chunks if `chunked`, until `bytes` are written or the socket is destroyed; resolves to the bytes written. */
  async pour(bytes: number, chunked = false): Promise<number> {
    let poured = 0;
    for (; poured < bytes && !this.socket.destroyed; poured += BLANKS.length) {
      if (chunked) await this.write(`${BLANKS.length.toString(16)}\r\n`);
      await this.write(BLANKS);
      if (chunked) await this.write('\r\n');
    }
    return poured;
  }

  async answer(): Promise<string> {
    let text = '';
    for await (const chunk of this.socket.setEncoding('utf8')) text += chunk as string;
    return text;
  }
}

interface EarlyAnswer {
  what: string;
  headers: string[];
  /** What the body begins with. */
  first?: string;
  status: number;
  code: string;
}

/** Two parts with this name are malformed, because a file_ref could mean either. */
const REF = '6f1c1f0e-8a3e-4c1f-9a52-0d6f2f1b7c11';

describe('an answer that comes before the body is complete', () => {
  const lettermill = installed({ RATE_LIMIT: '0' });

  const json = 'content-type: application/json';
  const authorization = `authorization: Bearer ${API_KEY}`;
  const contentLength = `content-length: ${BODY_BYTES}`;

  it.each<EarlyAnswer>([
    {
      what: 'a body too long by its head',
      headers: [authorization, json, contentLength],
      status: 413,
      code: 'body_too_large',
    },
    { what: 'a body without a key', headers: [json, contentLength], status: 401, code: 'unauthorized' },
    {
      what: 'a body of an unknown type',
      headers: [authorization, 'content-type: a/b', contentLength],
      status: 400,
      code: 'content_type_unsupported',
    },
    {
      what: 'a form too long by its head',
      headers: [authorization, 'content-type: multipart/form-data; boundary=b', contentLength],
      status: 413,
      code: 'body_too_large',
    },
    {
      what: 'a chunked body that is too long',
      headers: [authorization, json, 'transfer-encoding: chunked'],
      status: 413,
      code: 'body_too_large',
    },
    {
      what: 'a form with a file that is too long',
      headers: [authorization, 'content-type: multipart/form-data; boundary=b', 'transfer-encoding: chunked'],
      first: '--b\r\ncontent-disposition: form-data; name="a"; filename="a"\r\n\r\n',
      status: 413,
      code: 'body_too_large',
    },
    {
      what: 'a form that is malformed from the start',
      headers: [authorization, 'content-type: multipart/form-data; boundary=b', 'transfer-encoding: chunked'],
      first: `--b\r\ncontent-disposition: form-data; name="${REF}"; filename="../x"\r\n\r\n\r\n--b\r\ncontent-disposition: form-data; name="${REF}"\r\n\r\n`,
      status: 400,
      code: 'multipart_malformed',
    },
  ])('reaches a client that first writes 64 MiB: $what', async ({ headers, first = '', status, code }) => {
    const client = new BlindWriter(lettermill.port);
    client.writeHead(...headers);
    const chunked = headers.includes('transfer-encoding: chunked');
    if (chunked) await client.write(`${(first.length + 2).toString(16)}\r\n${first}\r\n\r\n`);
    expect(await client.pour(BODY_BYTES, chunked)).toBe(BODY_BYTES);
    if (chunked) await client.write('0\r\n\r\n');
    await pause(300);
    const answer = await client.answer();
    expect(answer.split('\r\n')[0]).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toContain(`"code":"${code}"`);
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
    await client.closed;
    expect(client.failure).toBeUndefined();
  });

  it('reaches a client whose head is not HTTP', async () => {
    const client = new BlindWriter(lettermill.port);
    await client.write('what is this?\r\n\r\n');
    await client.pour(8 * MIB);
    await pause(300);
    expect(await client.answer()).toMatch(/^HTTP\/1\.1 400 .*request_malformed/s);
  });

  it('disconnects a client that never stops sending', async () => {
    const client = new BlindWriter(lettermill.port);
    client.writeHead(json, 'transfer-encoding: chunked');
    const poured = await client.pour(Infinity, true);
    expect(poured).toBeLessThan(400 * MIB);
    await client.closed;
    expect((await lettermill.call('GET', '/health/ready')).status).toBe(200);
  });

  it('does not wait for a client that stops in the middle', async () => {
    const client = new BlindWriter(lettermill.port);
    client.writeHead(json, contentLength);
    await client.pour(MIB);
    expect(await client.answer()).toMatch(/^HTTP\/1\.1 401 /);
    await client.closed;
  });

  it('keeps the connection open if little of the body is missing', async () => {
    const client = new BlindWriter(lettermill.port);
    client.writeHead(json, 'content-length: 2');
    await pause(50);
    await client.write('{}');
    client.writeHead(authorization, json, 'content-length: 2', 'connection: close');
    await client.write('{}');
    const answer = await client.answer();
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 422']);
  });
});
