import { Room } from '@lettermill/concurrency';
import { MAX_JSON_VALUES } from '@lettermill/contract';
import { BodyInHand, MIDDLE_BYTES } from './body.in.hand';

const MIB = 1024 * 1024;
/** Of those up to `MIDDLE_BYTES`. */
const MIDDLE_ROOM = 16 * MIB;
/** So many of the largest bodies that are read are in hand at a time; each takes five to six times its bytes. */
const LARGEST_AT_ONCE = 2;
const LARGE_ROOM = 64 * MIB;
/** A value takes 130 bytes, however short its text: two bodies of as many as are read are in hand at a time. */
const VALUES_ROOM = 2 * MAX_JSON_VALUES;
const PATIENCE_MS = 10_000;

interface RoomOptions {
  /** The largest body that is read. */
  maxBodyBytes: number;
  patienceMs?: number;
}

/** Room for the bodies that a server holds in memory, over all requests: from their first byte until they are answered. */
export class BodyRoom {
  private readonly middle = new Room(MIDDLE_ROOM);
  private readonly large: Room;
  private readonly values = new Room(VALUES_ROOM);
  private patienceMs: number;

  constructor({ maxBodyBytes, patienceMs = PATIENCE_MS }: RoomOptions) {
    this.large = new Room(Math.max(LARGE_ROOM, LARGEST_AT_ONCE * maxBodyBytes));
    this.patienceMs = patienceMs;
  }

  /** Of a body that is not longer than `most`. */
  body(most: number): BodyInHand {
    const roomFor = (bytes: number) => (bytes > MIDDLE_BYTES ? this.large : this.middle);
    return new BodyInHand({ most, roomFor, values: this.values, patienceMs: () => this.patienceMs });
  }

  /** The process ends: whoever waits is told to try elsewhere. */
  end(): void {
    this.patienceMs = 0;
    this.middle.refuse();
    this.large.refuse();
    this.values.refuse();
  }
}
