import { Room, type Waiting } from '@lettermill/concurrency';
import { Problem } from '@lettermill/problems';

const KIB = 1024;
const MIB = 1024 * KIB;

/** Bodies up to this are not counted: most have a few hundred bytes. */
export const UNCOUNTED_BYTES = 64 * KIB;
/** Bodies up to this have a room of their own, so that none of them waits behind large ones. */
export const MIDDLE_BYTES = MIB;
const MIDDLE_ROOM = 16 * MIB;
/** So many of the largest bodies that are read are in hand at a time; each takes five to six times its bytes. */
const LARGEST_AT_ONCE = 2;
const LARGE_ROOM = 64 * MIB;
const PATIENCE_MS = 10_000;
const RETRY_AFTER_S = 5;

const noRoom = () =>
  new Problem('no_room_for_body', 'Other large bodies are in hand, and none of them was done in time.', [], {
    'retry-after': String(RETRY_AFTER_S),
  });

interface RoomOptions {
  /** The largest body that is read. */
  maxBodyBytes: number;
  patienceMs?: number;
}

/** Room for the bodies that a server holds in memory, over all requests: from their first byte until they are answered. */
export class BodyRoom {
  private readonly middle = new Room(MIDDLE_ROOM);
  private readonly large: Room;
  private patienceMs: number;

  constructor({ maxBodyBytes, patienceMs = PATIENCE_MS }: RoomOptions) {
    this.large = new Room(Math.max(LARGE_ROOM, LARGEST_AT_ONCE * maxBodyBytes));
    this.patienceMs = patienceMs;
  }

  /** Of a body that is not longer than `most`. */
  body(most: number): BodyInHand {
    return new BodyInHand(
      most,
      (bytes) => (bytes > MIDDLE_BYTES ? this.large : this.middle),
      () => this.patienceMs,
    );
  }

  /** The process ends: whoever waits is told to try elsewhere. */
  end(): void {
    this.patienceMs = 0;
    this.middle.refuse();
    this.large.refuse();
  }
}

/** What one request takes of the room. */
export class BodyInHand {
  private room: Room | undefined;
  private taken = 0;
  private arrived = 0;
  private waiting: Waiting | undefined;
  private over = false;

  constructor(
    private readonly most: number,
    private readonly roomFor: (bytes: number) => Room,
    private readonly patienceMs: () => number,
  ) {}

  /** Room for a body of so many bytes. Throws `no_room_for_body` where there is none in time. */
  async reserve(bytes: number): Promise<void> {
    const room = this.roomFor(bytes);
    if (!room.take(bytes)) {
      this.waiting = room.wait(bytes, this.patienceMs());
      const granted = await this.waiting.granted;
      this.waiting = undefined;
      if (!granted) throw noRoom();
    }
    this.giveBack();
    [this.room, this.taken] = [room, bytes];
    // It may have ended in the moment between.
    if (this.over) this.giveBack();
  }

  /**
   * So many more bytes of a body whose length nobody knows. Room is taken for all that may yet come: bodies that each have a
   * part of what they need would wait for one another. A promise where it has to be waited for.
   */
  add(bytes: number): Promise<void> | undefined {
    this.arrived += bytes;
    if (this.arrived <= Math.max(UNCOUNTED_BYTES, this.taken) || this.arrived > this.most) return undefined;
    return this.reserve(this.arrived <= MIDDLE_BYTES ? Math.min(MIDDLE_BYTES, this.most) : this.most);
  }

  /** It is whole: what was taken for more is not needed. */
  whole(): void {
    if (this.taken <= this.arrived) return;
    this.room?.give(this.taken - this.arrived);
    this.taken = this.arrived;
  }

  /** Whoever sends it is gone: there is nothing to wait for. */
  leave(): void {
    this.waiting?.leave();
  }

  /** The request was answered. */
  end(): void {
    this.over = true;
    this.leave();
    this.giveBack();
  }

  private giveBack(): void {
    this.room?.give(this.taken);
    [this.room, this.taken] = [undefined, 0];
  }
}
