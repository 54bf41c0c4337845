import { once } from 'node:events';
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import fastify, { type FastifyInstance } from 'fastify';
import { admitBody, hasShortBody, type BodyRequest } from './body.admission';
import type { BodyInHand } from './body.in.hand';
import { BodyRoom } from './body.room';
import { SlowBodies } from './slow.bodies';

const KIB = 1024;
const MAX_BODY_BYTES = 32 * KIB * KIB;
/** A body of this length is not counted. */
const UNCOUNTED_BYTES = 64 * KIB;
const LARGE_BYTES = 2 * KIB * KIB;
const LONG_MS = 120_000;

describe('a body', () => {
  let server: FastifyInstance;
  let room: BodyRoom;
  let beforeAdmission: () => Promise<void>;
  let admitted: (payload: IncomingMessage) => void;
  const start = async (patienceMs: number) => {
    room = new BodyRoom({ maxBodyBytes: MAX_BODY_BYTES, patienceMs });
    beforeAdmission = () => Promise.resolve();
    admitted = () => {};
    server = fastify({ bodyLimit: MAX_BODY_BYTES, forceCloseConnections: true });
    server.addHook('onRequest', () => beforeAdmission());
    server.addHook('preParsing', (request, reply, body, done) => {
      const payload = body as IncomingMessage;
      admitBody(room, request as BodyRequest, reply, payload, done);
      admitted(payload);
    });
    server.removeAllContentTypeParsers();
    server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    server.post('/', ({ body }) => String((body as Buffer).length));
    await server.listen({ port: 0, host: '127.0.0.1' });
  };
  afterEach(() => server.close());

  /** Without a length it is sent in chunks. */
  const post = (length: number | undefined, type = 'application/octet-stream'): ClientRequest => {
    const { port } = server.server.address() as AddressInfo;
    const size = length === undefined ? { 'transfer-encoding': 'chunked' } : { 'content-length': length };
    const headers = { 'content-type': type, ...size };
    return httpRequest({ port, host: '127.0.0.1', method: 'POST', headers }).on('error', () => {});
  };
  const answerTo = async (request: ClientRequest): Promise<{ status: number | undefined; answer: string }> => {
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return { status: response.statusCode, answer: await text(response) };
  };
  /** Rejects if that much room is not there now. */
  const take = async (bytes: number) => {
    const body = room.createBody(MAX_BODY_BYTES);
    await body.reserve(bytes);
    return body;
  };
  const isAllFree = async () => {
    const all = [await take(MAX_BODY_BYTES), await take(MAX_BODY_BYTES)];
    all.forEach((body) => body.end());
    return true;
  };
  const fill = () => Promise.all([take(MAX_BODY_BYTES), take(MAX_BODY_BYTES)]);
  const nextAdmitted = () => new Promise<IncomingMessage>((resolve) => (admitted = resolve));

  it('holds no room if its client was gone before it was admitted', async () => {
    await start(1);
    const connected = once(server.server, 'connection') as Promise<[Socket]>;
    const begun = new Promise<() => void>((resolve) => {
      beforeAdmission = () => new Promise<void>((admit) => resolve(admit));
    });
    const request = post(MAX_BODY_BYTES);
    request.flushHeaders();
    const admit = await begun;
    const [socket] = await connected;
    const closed = new Promise((resolve) => socket.once('close', resolve));
    request.destroy();
    await closed;
    const reached = nextAdmitted();
    admit();
    await reached;
    await new Promise(setImmediate);
    expect(await isAllFree()).toBe(true);
  });

  it('is not read before there is room for it', async () => {
    await start(LONG_MS);
    const [other] = await fill();
    const reached = nextAdmitted();
    const answer = answerTo(post(LARGE_BYTES).end(Buffer.alloc(LARGE_BYTES)));
    const payload = await reached;
    await once(payload, 'readable');
    expect(payload.readableFlowing).not.toBe(true);
    other.end();
    expect(await answer).toEqual({ status: 200, answer: `${LARGE_BYTES}` });
  });

  it('leaves its place to those behind it once its client is gone', async () => {
    await start(LONG_MS);
    await Promise.all([take(MAX_BODY_BYTES), take(MAX_BODY_BYTES - LARGE_BYTES)]);
    const leaving = post(MAX_BODY_BYTES);
    let reached = nextAdmitted();
    leaving.flushHeaders();
    await reached;
    reached = nextAdmitted();
    const answer = answerTo(post(LARGE_BYTES).end(Buffer.alloc(LARGE_BYTES)));
    await reached;
    leaving.destroy();
    expect(await answer).toMatchObject({ status: 200 });
  });

  it('needs no room if it is small, however its length is told', async () => {
    await start(1);
    await fill();
    for (let body = 0; body < 16; body += 1) await take(1024 * KIB);
    for (const length of [UNCOUNTED_BYTES, undefined]) {
      const small = { status: 200, answer: `${UNCOUNTED_BYTES}` };
      expect(await answerTo(post(length).end(Buffer.alloc(UNCOUNTED_BYTES)))).toEqual(small);
    }
    for (const length of [UNCOUNTED_BYTES + 1, undefined]) {
      const { answer } = await answerTo(post(length).end(Buffer.alloc(UNCOUNTED_BYTES + 1)));
      expect(answer).toContain('none of them was finished in time');
    }
  });

  it('needs no room if it is a form, whose reader counts what it keeps', async () => {
    await start(1);
    await fill();
    const form = post(LARGE_BYTES, 'Multipart/Form-Data; boundary=x').end(Buffer.alloc(LARGE_BYTES));
    expect(await answerTo(form)).toMatchObject({ status: 200 });
  });

  it('waits for room while it arrives if its length is unknown', async () => {
    await start(LONG_MS);
    const [other] = await fill();
    const request = post(undefined);
    const answer = answerTo(request);
    const reached = nextAdmitted();
    request.end(Buffer.alloc(LARGE_BYTES));
    await reached;
    other.end();
    expect(await answer).toEqual({ status: 200, answer: `${LARGE_BYTES}` });
    await take(MAX_BODY_BYTES);
  });

  it('gives back what it had if it is cut off, and is watched no longer', async () => {
    await start(LONG_MS);
    const forget = jest.spyOn(SlowBodies.prototype, 'forget');
    const create = jest.spyOn(room, 'createBody');
    const request = post(undefined);
    request.write(Buffer.alloc(LARGE_BYTES));
    await nextAdmitted();
    const body = create.mock.results[0]!.value as BodyInHand;
    while (body.roomBytes < MAX_BODY_BYTES) await new Promise(setImmediate);
    request.destroy();
    expect(await isAllFree()).toBe(true);
    expect(forget).toHaveBeenCalledTimes(1);
    jest.restoreAllMocks();
  });

  it('is refused for its length without waiting for room, and gives back what it had', async () => {
    await start(LONG_MS);
    const held = await fill();
    expect(await answerTo(post(MAX_BODY_BYTES + 1).end())).toMatchObject({ status: 413 });
    held.forEach((body) => body.end());
    const tooLong = post(undefined);
    const answer = answerTo(tooLong);
    tooLong.end(Buffer.alloc(MAX_BODY_BYTES + 1));
    expect(await answer).toMatchObject({ status: 413 });
    expect(await isAllFree()).toBe(true);
  });
});

it('a body is short if its length is told, and is at most 4 KiB', () => {
  const heads = [
    { 'content-length': '4096' },
    { 'content-length': '4097' },
    { 'transfer-encoding': 'chunked' },
    { 'content-length': '1', 'transfer-encoding': 'chunked' },
    {},
  ];
  const short = heads.map((headers) => hasShortBody({ headers } as IncomingMessage));
  expect(short).toEqual([true, false, false, false, true]);
});
