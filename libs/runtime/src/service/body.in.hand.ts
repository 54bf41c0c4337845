import type { WeightedSemaphore, PendingGrant } from '@lettermill/concurrency';
import { countValues } from '@lettermill/contract';
import { Problem } from '@lettermill/problems';

const KIB = 1024;

/** Bodies of up to so many bytes are not counted; most have a few hundred. */
export const MAX_UNCOUNTED_BYTES = 64 * KIB;
/** Bodies of up to so many bytes share a room of their own, so that they do not wait behind large ones. */
export const MAX_MIDDLE_BYTES = 1024 * KIB;
/** Bodies of up to so many bytes have too few values to count them; most calls are shorter. */
export const MAX_SHORT_BYTES = 4 * KIB;
/** Usual bodies have fewer values, even with a hundred recipients. */
const MAX_UNCOUNTED_VALUES = 4 * KIB;
const RETRY_AFTER_SECONDS = 5;

const noRoomProblem = () =>
  new Problem('no_room_for_body', 'Other large bodies are in progress, and none of them was finished in time.', [], {
    'retry-after': String(RETRY_AFTER_SECONDS),
  });

interface Limits {
  /** Upper limit of the body's length in bytes. */
  most: number;
  roomFor(bytes: number): WeightedSemaphore;
  values: WeightedSemaphore;
  patienceMs(): number;
  /** Called when the body has to wait for room. */
  onWait(): void;
  onRefused(): void;
}

interface Taken {
  room: WeightedSemaphore;
  amount: number;
}

/** The room that one request takes: first for the bytes of its body, then for the values in them. */
export class BodyInHand {
  private bytes: Taken | undefined;
  private values: Taken | undefined;
  private arrived = 0;
  private pendingGrant: PendingGrant | undefined;
  private hasEnded = false;

  constructor(private readonly limits: Limits) {}

  /** Takes room for a body of so many bytes. Throws `no_room_for_body` if there is none in time. */
  async reserve(bytes: number): Promise<void> {
    const taken = await this.takeRoom(this.limits.roomFor(bytes), bytes);
    giveBack(this.bytes);
    this.bytes = taken;
    // The request may have ended meanwhile.
    if (this.hasEnded) this.end();
  }

  /**
   * Counts more bytes of a body of unknown length. It takes room for all that may still come, since bodies that each had only
   * part of what they need would wait for one another. Returns a promise if the body has to wait.
   */
  add(bytes: number): Promise<void> | undefined {
    const { most } = this.limits;
    this.arrived += bytes;
    if (this.arrived <= Math.max(MAX_UNCOUNTED_BYTES, this.bytes?.amount ?? 0) || this.arrived > most) return undefined;
    return this.reserve(this.arrived <= MAX_MIDDLE_BYTES ? Math.min(MAX_MIDDLE_BYTES, most) : most);
  }

  /** The body is complete: gives back the room beyond its length. */
  complete(): void {
    const { arrived, bytes } = this;
    if (!bytes || bytes.amount <= arrived) return;
    bytes.room.giveBack(bytes.amount - arrived);
    bytes.amount = arrived;
  }

  /** Takes room for the parsed values, before JSON is parsed. Returns a promise if it has to wait, which rejects as `reserve` does. */
  reserveForParsing(json: Buffer): Promise<void> | undefined {
    const values = countValues(json);
    return values > MAX_UNCOUNTED_VALUES ? this.reserveValues(values) : undefined;
  }

  /** Whether others wait for the room that this request has. If it waits itself, it does not count as being in the way. */
  get isInTheWay(): boolean {
    return !this.pendingGrant && [this.bytes, this.values].some((taken) => taken?.room.hasWaiting);
  }

  /** Bytes for which it has room. */
  get roomBytes(): number {
    return this.bytes?.amount ?? 0;
  }

  /** The client is gone, so there is nothing to wait for. */
  stopWaiting(): void {
    this.pendingGrant?.leave();
  }

  /** The request was answered. */
  end(): void {
    this.hasEnded = true;
    this.stopWaiting();
    giveBack(this.bytes);
    giveBack(this.values);
    this.bytes = this.values = undefined;
  }

  private async reserveValues(values: number): Promise<void> {
    this.values = await this.takeRoom(this.limits.values, values);
    if (this.hasEnded) this.end();
  }

  private async takeRoom(room: WeightedSemaphore, amount: number): Promise<Taken> {
    if (!room.tryTake(amount)) {
      this.pendingGrant = room.wait(amount, this.limits.patienceMs());
      this.limits.onWait();
      const granted = await this.pendingGrant.granted;
      this.pendingGrant = undefined;
      if (!granted) {
        this.limits.onRefused();
        throw noRoomProblem();
      }
    }
    return { room, amount };
  }
}

function giveBack(taken: Taken | undefined): void {
  taken?.room.giveBack(taken.amount);
}
