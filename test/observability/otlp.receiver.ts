import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedSpan {
  service: string;
  traceId: string;
  spanId: string;
  parentId: string;
  name: string;
  facts: Record<string, string | number>;
}

type Field = { number: number; bytes: Buffer } | { number: number; value: number };

/** Fields of a protobuf message; numbers of 64 bits have only the precision of a JavaScript number. */
function* readFields(message: Buffer): Generator<Field> {
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = message[at++]!;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.length) {
    const key = varint();
    const number = Math.floor(key / 8);
    const type = key % 8;
    if (type === 0) yield { number, value: varint() };
    else if (type === 1) yield { number, value: Number(message.readBigUInt64LE((at += 8) - 8)) };
    else if (type === 5) yield { number, value: message.readUInt32LE((at += 4) - 4) };
    else {
      const length = varint();
      yield { number, bytes: message.subarray(at, (at += length)) };
    }
  }
}

function readParts(message: Buffer, number: number): Buffer[] {
  return [...readFields(message)].flatMap((field) =>
    field.number === number && 'bytes' in field ? [field.bytes] : [],
  );
}

function readAttributes(attributes: Buffer[]): Record<string, string | number> {
  const pairs = attributes.map((attribute): [string, string | number] => {
    const [value] = [...readFields(readParts(attribute, 2)[0] ?? Buffer.alloc(0))];
    const text = value && 'bytes' in value ? value.bytes.toString() : (value?.value ?? '');
    return [readParts(attribute, 1)[0]!.toString(), text];
  });
  return Object.fromEntries(pairs);
}

const hex = (bytes: Buffer | undefined) => bytes?.toString('hex') ?? '';

/** Receives traces by OTLP over HTTP (protobuf), as a collector would. */
export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = [];
  private readonly server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.url === '/v1/traces') this.receive(Buffer.concat(chunks));
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    });
  });

  async start(): Promise<this> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private receive(body: Buffer): void {
    for (const resourceSpans of readParts(body, 1)) {
      const resource = readAttributes(readParts(readParts(resourceSpans, 1)[0]!, 1));
      for (const span of readParts(resourceSpans, 2).flatMap((scope) => readParts(scope, 2))) {
        this.spans.push({
          service: String(resource['service.name']),
          traceId: hex(readParts(span, 1)[0]),
          spanId: hex(readParts(span, 2)[0]),
          parentId: hex(readParts(span, 4)[0]),
          name: readParts(span, 5)[0]!.toString(),
          facts: readAttributes(readParts(span, 9)),
        });
      }
    }
  }
}
