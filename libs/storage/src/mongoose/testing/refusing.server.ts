import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { mongo } from 'mongoose';

const OP_MSG = 2013;
/** Bytes of the header, the flags and the kind of the one section. */
const DOCUMENT_OFFSET = 21;
/** Answers to commands that need no rights. */
const ANSWERS_WITHOUT_RIGHTS: Record<string, object> = {
  hello: { isWritablePrimary: true, maxBsonObjectSize: 16_777_216, maxWireVersion: 21, minWireVersion: 0, ok: 1 },
  ping: { ok: 1 },
  endSessions: { ok: 1 },
};

export interface RefusingServer {
  uri: string;
  close(): void;
}

/** A server that speaks MongoDB's protocol and refuses all other commands with this error, as if our rights had been taken away. */
export async function refusingServer(refusal: { code: number; codeName: string }): Promise<RefusingServer> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    let received = Buffer.alloc(0);
    socket.on('data', (bytes) => {
      received = Buffer.concat([received, bytes]);
      while (received.length >= 4 && received.length >= received.readInt32LE(0)) {
        const size = received.readInt32LE(0);
        socket.write(answerTo(received.subarray(0, size), refusal));
        received = received.subarray(size);
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { uri: `mongodb://127.0.0.1:${(server.address() as AddressInfo).port}/x?directConnection=true`, close };
}

function answerTo(request: Buffer, refusal: object): Buffer {
  const isLegacy = request.readInt32LE(12) !== OP_MSG;
  const command = isLegacy ? 'hello' : commandOf(request.subarray(DOCUMENT_OFFSET));
  const text = 'not authorized on x to execute command { find: "ada@example.com" }';
  const body = mongo.BSON.serialize(ANSWERS_WITHOUT_RIGHTS[command] ?? { ok: 0, errmsg: text, ...refusal });
  return isLegacy ? asReply(request, body) : asMessage(request, body);
}

/** The name of a command; what it writes may follow in sections of its own. */
function commandOf(sections: Buffer): string {
  return Object.keys(mongo.BSON.deserialize(sections.subarray(0, sections.readInt32LE(0))))[0]!;
}

function asMessage(request: Buffer, body: Uint8Array): Buffer {
  return Buffer.concat([header(request, OP_MSG, 5 + body.length), Buffer.alloc(5), body]);
}

/** An OP_REPLY, with which the first command of a driver is answered. */
function asReply(request: Buffer, body: Uint8Array): Buffer {
  const fields = Buffer.alloc(20);
  fields.writeInt32LE(1, 16);
  return Buffer.concat([header(request, 1, fields.length + body.length), fields, body]);
}

function header(request: Buffer, opCode: number, size: number): Buffer {
  const bytes = Buffer.alloc(16);
  [16 + size, 1, request.readInt32LE(4), opCode].forEach((number, at) => bytes.writeInt32LE(number, at * 4));
  return bytes;
}
