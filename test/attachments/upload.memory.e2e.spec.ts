import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { collectGarbage } from '../installations/collect.garbage';
import { freePort, API_KEY, Lettermill } from '../installations/lettermill';

const MIB = 1024 * 1024;
const FILE_BYTES = 10 * MIB - 1024;
/** Memory that an upload may need. It does not cover the file, which goes to disk as it arrives. */
const MAX_MEMORY_BYTES = 4 * MIB;
const WARM_UP_UPLOADS = 5;
const MEASURED_UPLOADS = 5;
const PIECE_BYTES = 64 * 1024;

const BOUNDARY = 'a-boundary';
const partHead = (disposition: string, type: string) =>
  `--${BOUNDARY}\r\ncontent-disposition: form-data; ${disposition}\r\ncontent-type: ${type}\r\n\r\n`;

const FORM_END = `\r\n--${BOUNDARY}--\r\n`;
const ACCEPTED_ANSWER = /^HTTP\/1\.1 202 /;

const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;

/** Sends a form in steps, with a file that was not sent before. */
class Upload {
  private readonly socket: Socket;
  private readonly ended: Promise<unknown>;
  private readonly piece: Buffer;
  private bytesLeft = FILE_BYTES;
  private answer = '';

  constructor(port: number, number: number) {
    this.piece = Buffer.alloc(PIECE_BYTES, number);
    const start =
      partHead('name="json"', 'application/json') +
      '{"campaign":"order","to":"ada@example.com"}\r\n' +
      partHead('name="file"; filename="a.bin"', 'application/octet-stream');
    this.socket = connect(port, '127.0.0.1').setEncoding('latin1');
    this.socket.on('data', (text: string) => (this.answer += text));
    this.ended = once(this.socket, 'end');
    const head = [
      'POST /v2/send/email HTTP/1.1',
      'host: a.example',
      `authorization: Bearer ${API_KEY}`,
      'connection: close',
      `content-type: multipart/form-data; boundary=${BOUNDARY}`,
      `content-length: ${start.length + FILE_BYTES + FORM_END.length}`,
    ];
    this.socket.write(`${head.join('\r\n')}\r\n\r\n${start}`);
  }

  /** Writes the file except for so many bytes. */
  async writeAllBut(rest: number): Promise<void> {
    while (this.bytesLeft > rest) {
      const bytes = this.piece.subarray(0, this.bytesLeft - rest);
      if (!this.socket.write(bytes)) await once(this.socket, 'drain');
      this.bytesLeft -= bytes.length;
    }
  }

  async finish(): Promise<string> {
    await this.writeAllBut(0);
    this.socket.write(FORM_END);
    await this.ended;
    return this.answer;
  }
}

describe('a file of almost 10 MiB as a part of a form', () => {
  let lettermill: Lettermill;
  let inspectorPort: number;
  let uploads = 0;

  beforeAll(async () => {
    inspectorPort = await freePort();
    lettermill = await Lettermill.create({ RATE_LIMIT: '0' });
    await lettermill.start([
      process.execPath,
      `--inspect=127.0.0.1:${inspectorPort}`,
      'dist/apps/standalone/src/main.js',
    ]);
    await lettermill.launch('order');
    for (let i = 0; i < WARM_UP_UPLOADS; i += 1) expect(await beginUpload().finish()).toMatch(ACCEPTED_ANSWER);
  });
  afterAll(() => lettermill.destroy());

  const beginUpload = () => new Upload(lettermill.port, (uploads += 1));
  /** Waits until the work after the last acceptance is over. */
  const settle = () => pause(300);

  /** Bytes that the process needs now, in its heap and in buffers. */
  async function memoryInUse(): Promise<number> {
    await collectGarbage(inspectorPort);
    const { body } = await lettermill.call<string>('GET', '/metrics');
    const figure = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(body)![1]);
    return figure('nodejs_heap_size_used_bytes') + figure('nodejs_external_memory_bytes');
  }

  it('takes at most 4 MiB of memory while it is uploaded', async () => {
    const increases: number[] = [];
    for (let i = 0; i < MEASURED_UPLOADS; i += 1) {
      await settle();
      const before = await memoryInUse();
      const upload = beginUpload();
      await upload.writeAllBut(PIECE_BYTES);
      await settle();
      increases.push((await memoryInUse()) - before);
      expect(await upload.finish()).toMatch(ACCEPTED_ANSWER);
    }
    expect(median(increases)).toBeLessThanOrEqual(MAX_MEMORY_BYTES);
  });
});
