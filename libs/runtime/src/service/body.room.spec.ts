import { EventEmitter, once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { register } from 'prom-client';
import type { BodyInHand } from './body.in.hand';
import { BodyRoom } from './body.room';

/** The limits of docs/operating.md, Large bodies. */
const MAX_UNCOUNTED_BYTES = 64 * 1024;
const MAX_MIDDLE_BYTES = 1024 * 1024;
const MAX_BODY_BYTES = 32 * 1024 * 1024;
const NO_ROOM = {
  code: 'no_room_for_body',
  status: 503,
  headers: { 'retry-after': expect.stringMatching(/^[1-9]\d*$/) },
};

describe('room for request bodies', () => {
  afterEach(() => jest.useRealTimers());
  const roomOf = (patienceMs: number, maxBodyBytes = MAX_BODY_BYTES) => new BodyRoom({ maxBodyBytes, patienceMs });
  const reserveRoom = async (room: BodyRoom, bytes = MAX_BODY_BYTES): Promise<BodyInHand> => {
    const body = room.createBody(bytes);
    await body.reserve(bytes);
    return body;
  };
  /** Takes all the room for large bodies. */
  const fillRoom = (room: BodyRoom) => Promise.all([reserveRoom(room), reserveRoom(room)]);

  it('is enough for two of the largest, whatever their limit; a third is refused after its wait', async () => {
    for (const largest of [MAX_BODY_BYTES, 4 * MAX_BODY_BYTES]) {
      const room = roomOf(1, largest);
      await Promise.all([reserveRoom(room, largest), reserveRoom(room, largest)]);
      await expect(reserveRoom(room, largest)).rejects.toMatchObject(NO_ROOM);
      await reserveRoom(room, MAX_MIDDLE_BYTES);
    }
  });

  it('is 16 MiB for bodies of up to 1 MiB, which do not wait behind larger ones', async () => {
    const room = roomOf(1);
    await fillRoom(room);
    for (let body = 0; body < 16; body += 1) await reserveRoom(room, MAX_MIDDLE_BYTES);
    await expect(reserveRoom(room, MAX_MIDDLE_BYTES)).rejects.toMatchObject(NO_ROOM);
  });

  it('counts a body of unknown length as the largest once it is not small, until it is complete', async () => {
    const room = roomOf(1);
    const body = room.createBody(MAX_BODY_BYTES);
    expect(body.add(MAX_UNCOUNTED_BYTES)).toBeUndefined();
    await body.add(1);
    expect(body.add(1)).toBeUndefined();
    // So far it is among the smaller ones.
    for (const large of await fillRoom(room)) large.end();
    await body.add(MAX_MIDDLE_BYTES);
    // It has left the room for smaller ones.
    for (let other = 0; other < 16; other += 1) await reserveRoom(room, MAX_MIDDLE_BYTES);
    await reserveRoom(room);
    await expect(reserveRoom(room)).rejects.toMatchObject(NO_ROOM);
    body.complete();
    const rest = await reserveRoom(room, MAX_BODY_BYTES - 2 * MAX_MIDDLE_BYTES);
    await expect(reserveRoom(room)).rejects.toMatchObject(NO_ROOM);
    // What it gave back when it was complete is not given back again.
    body.end();
    rest.end();
    await reserveRoom(room);
    await expect(reserveRoom(room, MAX_MIDDLE_BYTES + 1)).rejects.toMatchObject(NO_ROOM);
  });

  it('is not taken a second time by a body that is longer than it may be, which is refused for that', async () => {
    const room = roomOf(1);
    const body = room.createBody(MAX_BODY_BYTES);
    await body.add(MAX_BODY_BYTES);
    expect(body.add(1)).toBeUndefined();
    body.complete();
    await reserveRoom(room);
    await expect(reserveRoom(room)).rejects.toMatchObject(NO_ROOM);
    body.end();
    await reserveRoom(room);
    await expect(reserveRoom(room)).rejects.toMatchObject(NO_ROOM);
  });

  describe('for parsed values', () => {
    const dense = Buffer.from(`[${'{},'.repeat(250_000)}{}]`);
    const parsedIn = async (room: BodyRoom) => {
      const body = await reserveRoom(room, dense.length);
      await body.reserveForParsing(dense);
      return body;
    };

    it('is that of two bodies, however short they are', async () => {
      const room = roomOf(1);
      const [first] = await Promise.all([parsedIn(room), parsedIn(room)]);
      expect((await reserveRoom(room)).reserveForParsing(Buffer.from('[{}]'))).toBeUndefined();
      await expect(parsedIn(room)).rejects.toMatchObject(NO_ROOM);
      first.end();
      await parsedIn(room);
    });

    it('is given back by a body that ends before it learns that it got it', async () => {
      const room = roomOf(60_000);
      const [first] = await Promise.all([parsedIn(room), parsedIn(room)]);
      const ending = await reserveRoom(room, dense.length);
      const granted = ending.reserveForParsing(dense);
      first.end();
      ending.end();
      await granted;
      await parsedIn(room);
    });

    it('is waited for without being in the way of others, who may still wait once it is there', async () => {
      const room = roomOf(60_000);
      const [first, second] = await Promise.all([parsedIn(room), parsedIn(room)]);
      const waiting = await reserveRoom(room, dense.length);
      const granted = waiting.reserveForParsing(dense);
      expect(second.isInTheWay).toBe(true);
      for (let others = 0; others < 20; others += 1) void reserveRoom(room, MAX_MIDDLE_BYTES).catch(() => {});
      expect([second.isInTheWay, waiting.isInTheWay]).toEqual([true, false]);
      first.end();
      await granted;
      expect(waiting.isInTheWay).toBe(true);
      room.refuseWaiting();
    });

    it('is refused to those that wait for it once the process ends', async () => {
      const room = roomOf(60_000);
      await Promise.all([parsedIn(room), parsedIn(room)]);
      const refused = expect(parsedIn(room)).rejects.toMatchObject(NO_ROOM);
      await new Promise(setImmediate);
      room.refuseWaiting();
      await refused;
    });
  });

  it('is given back once, however a body ends', async () => {
    const room = roomOf(60_000);
    const [first, second] = await fillRoom(room);
    const waiting = room.createBody(MAX_BODY_BYTES);
    const refused = expect(waiting.reserve(MAX_BODY_BYTES)).rejects.toMatchObject(NO_ROOM);
    waiting.end();
    await refused;
    const next = room.createBody(MAX_BODY_BYTES);
    const granted = next.reserve(MAX_BODY_BYTES);
    first.end();
    // It has been granted room, and ends before it learns of it.
    next.end();
    await granted;
    second.end();
    second.end();
    await fillRoom(room);
    const leaving = room.createBody(MAX_BODY_BYTES);
    const left = expect(leaving.reserve(MAX_BODY_BYTES)).rejects.toMatchObject(NO_ROOM);
    leaving.stopWaiting();
    await left;
  });

  it('is taken from a body that arrives too slowly, once another one waits for it', async () => {
    jest.useFakeTimers();
    const room = roomOf(60_000);
    const [slow] = await fillRoom(room);
    const arriving = { complete: false, readableLength: 0, socket: { bytesRead: 0 } };
    const payload = Object.assign(new EventEmitter(), arriving) as unknown as IncomingMessage;
    const refused = once(payload, 'error');
    room.watch(slow, payload, MAX_BODY_BYTES);
    const waiting = reserveRoom(room);
    jest.advanceTimersByTime(8_000);
    expect(await refused).toMatchObject([{ code: 'request_timeout' }]);
    slow.end();
    await waiting;
  });

  it('is measured: what is taken, and how many bodies had to be refused', async () => {
    const room = new BodyRoom({ maxBodyBytes: MAX_BODY_BYTES, patienceMs: 1, service: 'measured' });
    const bodies = [...(await fillRoom(room)), await reserveRoom(room, MAX_MIDDLE_BYTES)];
    await expect(reserveRoom(room)).rejects.toMatchObject(NO_ROOM);
    const taken = async () =>
      /in_hand_bytes{service="measured",size="middle"} (\d+)\n.*size="large"} (\d+)$/m
        .exec(await register.metrics())
        ?.slice(1)
        .map(Number);
    expect(await taken()).toEqual([MAX_MIDDLE_BYTES, 2 * MAX_BODY_BYTES]);
    for (const body of bodies) body.end();
    expect(await taken()).toEqual([0, 0]);
    expect(await register.metrics()).toContain('bodies_refused_total{service="measured",reason="no_room"} 1\n');
  });

  it('is refused to waiting bodies once the process ends', async () => {
    const room = roomOf(60_000);
    await fillRoom(room);
    for (let body = 0; body < 16; body += 1) await reserveRoom(room, MAX_MIDDLE_BYTES);
    const waiting = [MAX_BODY_BYTES, MAX_MIDDLE_BYTES].map((bytes) =>
      expect(reserveRoom(room, bytes)).rejects.toMatchObject(NO_ROOM),
    );
    room.refuseWaiting();
    await Promise.all(waiting);
    await expect(reserveRoom(room)).rejects.toMatchObject(NO_ROOM);
  });
});
