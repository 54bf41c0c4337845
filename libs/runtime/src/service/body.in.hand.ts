import type { WeightedSemaphore, Waiting } from '@lettermill/concurrency';
import { countValues } from '@lettermill/contract';
import { Problem } from '@lettermill/problems';

const KIB = 1024;

/** Bodies of up to so many bytes are not counted; most have a few hundred. */
export const UNCOUNTED_BYTES = 64 * KIB;
/** Bodies of up to so many bytes share a room of their own, so that they do not wait behind large ones. */
export const MIDDLE_BYTES = 1024 * KIB;
/** Bodies of up to so many bytes have too few values to count them; most calls are shorter. */
export const SHORT_BYTES = 4 * KIB;
/** Usual bodies have fewer values, even with a hundred recipients. */
const UNCOUNTED_VALUES = 4 * KIB;
const RETRY_AFTER_S = 5;

const noRoom = () =>
  new Problem('no_room_for_body', 'Other large bodies are in progress, and none of them was finished in time.', [], {
    'retry-after': String(RETRY_AFTER_S),
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
  private waiting: Waiting | undefined;
  private over = false;

  constructor(private readonly limits: Limits) {}

  /** Takes room for a body of so many bytes. Throws `no_room_for_body` if there is none in time. */
  async reserve(bytes: number): Promise<void> {
    const taken = await this.take(this.limits.roomFor(bytes), bytes);
    giveBack(this.bytes);
    this.bytes = taken;
    // The request may have ended meanwhile.
    if (this.over) this.end();
  }

  /**
   * Counts more bytes of a body of unknown length. It takes room for all that may still come, since bodies that each had only
   * part of what they need would wait for one another. Returns a promise if the body has to wait.
   */
  add(bytes: number): Promise<void> | undefined {
    const { most } = this.limits;
    this.arrived += bytes;
    if (this.arrived <= Math.max(UNCOUNTED_BYTES, this.bytes?.amount ?? 0) || this.arrived > most) return undefined;
    return this.reserve(this.arrived <= MIDDLE_BYTES ? Math.min(MIDDLE_BYTES, most) : most);
  }

  /** The body is complete: gives back the room beyond its length. */
  whole(): void {
    const { arrived, bytes } = this;
    if (!bytes || bytes.amount <= arrived) return;
    bytes.room.give(bytes.amount - arrived);
    bytes.amount = arrived;
  }

  /** Takes room for the parsed values, before JSON is parsed. Returns a promise if it has to wait, which rejects as `reserve` does. */
  parse(json: Buffer): Promise<void> | undefined {
    const values = countValues(json);
    return values > UNCOUNTED_VALUES ? this.reserveValues(values) : undefined;
  }

  /** Whether others wait for the room that this request has. If it waits itself, it does not count as being in the way. */
  get isInTheWay(): boolean {
    return !this.waiting && [this.bytes, this.values].some((taken) => taken?.room.isCrowded);
  }

  /** Bytes for which it has room. */
  get room(): number {
    return this.bytes?.amount ?? 0;
  }

  /** The client is gone, so there is nothing to wait for. */
  leave(): void {
    this.waiting?.leave();
  }

  /** The request was answered. */
  end(): void {
    this.over = true;
    this.leave();
    giveBack(this.bytes);
    giveBack(this.values);
    this.bytes = this.values = undefined;
  }

  private async reserveValues(values: number): Promise<void> {
    this.values = await this.take(this.limits.values, values);
    if (this.over) this.end();
  }

  private async take(room: WeightedSemaphore, amount: number): Promise<Taken> {
    if (!room.take(amount)) {
      this.waiting = room.wait(amount, this.limits.patienceMs());
      this.limits.onWait();
      const granted = await this.waiting.granted;
      this.waiting = undefined;
      if (!granted) {
        this.limits.onRefused();
        throw noRoom();
      }
    }
    return { room, amount };
  }
}

function giveBack(taken: Taken | undefined): void {
  taken?.room.give(taken.amount);
}
