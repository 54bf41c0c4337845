import { MIDDLE_BYTES, UNCOUNTED_BYTES, type BodyInHand } from './body.in.hand';
import { BodyRoom } from './body.room';

const LARGEST = 32 * 1024 * 1024;
const NO_ROOM = {
  code: 'no_room_for_body',
  status: 503,
  headers: { 'retry-after': expect.stringMatching(/^[1-9]\d*$/) },
};

describe('room for request bodies', () => {
  const roomOf = (patienceMs: number, maxBodyBytes = LARGEST) => new BodyRoom({ maxBodyBytes, patienceMs });
  const reserved = async (room: BodyRoom, bytes = LARGEST): Promise<BodyInHand> => {
    const body = room.body(bytes);
    await body.reserve(bytes);
    return body;
  };
  /** Takes all the room for large bodies. */
  const full = (room: BodyRoom) => Promise.all([reserved(room), reserved(room)]);

  it('is enough for two of the largest, whatever their limit; a third is refused after its wait', async () => {
    for (const largest of [LARGEST, 4 * LARGEST]) {
      const room = roomOf(1, largest);
      await Promise.all([reserved(room, largest), reserved(room, largest)]);
      await expect(reserved(room, largest)).rejects.toMatchObject(NO_ROOM);
      await reserved(room, MIDDLE_BYTES);
    }
  });

  it('counts a body of unknown length as the largest once it is not small, until it is complete', async () => {
    const room = roomOf(1);
    const body = room.body(LARGEST);
    expect(body.add(UNCOUNTED_BYTES)).toBeUndefined();
    await body.add(1);
    expect(body.add(1)).toBeUndefined();
    await body.add(MIDDLE_BYTES);
    await reserved(room);
    await expect(reserved(room)).rejects.toMatchObject(NO_ROOM);
    body.whole();
    await reserved(room, LARGEST - 2 * MIDDLE_BYTES);
  });

  it('for parsed values is that of two bodies, however short they are', async () => {
    const room = roomOf(1);
    const dense = Buffer.from(`[${'{},'.repeat(250_000)}{}]`);
    const parsed = async () => {
      const body = await reserved(room, dense.length);
      await body.parse(dense);
      return body;
    };
    const [first] = await Promise.all([parsed(), parsed()]);
    expect((await reserved(room)).parse(Buffer.from('[{}]'))).toBeUndefined();
    await expect(parsed()).rejects.toMatchObject(NO_ROOM);
    first.end();
    await parsed();
  });

  it('is given back once, however a body ends', async () => {
    const room = roomOf(60_000);
    const [first, second] = await full(room);
    const waiting = room.body(LARGEST);
    const refused = expect(waiting.reserve(LARGEST)).rejects.toMatchObject(NO_ROOM);
    waiting.end();
    await refused;
    const next = room.body(LARGEST);
    const granted = next.reserve(LARGEST);
    first.end();
    // It has been granted room, and ends before it learns of it.
    next.end();
    await granted;
    second.end();
    second.end();
    await full(room);
    const leaving = room.body(LARGEST);
    const left = expect(leaving.reserve(LARGEST)).rejects.toMatchObject(NO_ROOM);
    leaving.leave();
    await left;
  });

  it('is refused to waiting bodies once the process ends', async () => {
    const room = roomOf(60_000);
    await full(room);
    const waiting = expect(reserved(room)).rejects.toMatchObject(NO_ROOM);
    room.end();
    await waiting;
    await expect(reserved(room)).rejects.toMatchObject(NO_ROOM);
  });
});
