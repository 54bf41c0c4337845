import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

const HEADER_BYTES = 12;
const TXT_TYPE = 16;
const ANSWER_FLAGS = 0x8180;
const NXDOMAIN = 3;
const SERVFAIL = 2;

/** A name server on loopback with only the TXT records that it is given. */
export class DnsServer {
  /** Texts by name; each text is one record. */
  readonly records = new Map<string, string[]>();
  readonly queriedNames: string[] = [];
  /** Whether it answers SERVFAIL. */
  failing = false;
  private readonly socket: Socket = createSocket('udp4');

  async start(): Promise<this> {
    this.socket.on('message', (query, { port, address }) => this.socket.send(this.answer(query), port, address));
    this.socket.bind(0, '127.0.0.1');
    await once(this.socket, 'listening');
    return this;
  }

  get address(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }

  stop(): void {
    this.socket.close();
  }

  private answer(query: Buffer): Buffer {
    const labels: string[] = [];
    let at = HEADER_BYTES;
    for (let length = query[at]!; length > 0; length = query[at]!) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const name = labels.join('.').toLowerCase();
    this.queriedNames.push(name);
    const texts = this.failing ? [] : (this.records.get(name) ?? []);
    const head = Buffer.alloc(HEADER_BYTES);
    query.copy(head, 0, 0, 2);
    head.writeUInt16BE(ANSWER_FLAGS | (this.failing ? SERVFAIL : texts.length === 0 ? NXDOMAIN : 0), 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(texts.length, 6);
    return Buffer.concat([head, query.subarray(HEADER_BYTES, at + 5), ...texts.map(recordOf)]);
  }
}

function recordOf(text: string): Buffer {
  const strings = (text.match(/.{1,255}/g) ?? ['']).map((part) => Buffer.from(`\u0000${part}`, 'latin1'));
  for (const string of strings) string[0] = string.length - 1;
  const data = Buffer.concat(strings);
  const head = Buffer.alloc(12);
  // A pointer to the name in the question.
  head.writeUInt16BE(0xc000 | HEADER_BYTES, 0);
  head.writeUInt16BE(TXT_TYPE, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(60, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
