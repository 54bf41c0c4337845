import type { WeightedSemaphore, Waiting } from '@lettermill/concurrency';
import { countValues } from '@lettermill/contract';
import { Problem } from '@lettermill/problems';

const KIB = 1024;

/** Bodies up to this are not counted: most have a few hundred bytes. */
export const UNCOUNTED_BYTES = 64 * KIB;
/** Bodies up to this have a room of their own, so that none of them waits behind large ones. */
export const MIDDLE_BYTES = 1024 * KIB;
/** Bodies up to this have too few values to be counted by them; most calls are shorter. */
export const SHORT_BYTES = 4 * KIB;
/** Usual bodies have fewer, with a hundred recipients, too. */
const UNCOUNTED_VALUES = 4 * KIB;
const RETRY_AFTER_S = 5;

const noRoom = () =>
  new Problem('no_room_for_body', 'Other large bodies are in progress, and none of them was finished in time.', [], {
    'retry-after': String(RETRY_AFTER_S),
  });

interface Limits {
  /** The body is not longer. */
  most: number;
  roomFor(bytes: number): WeightedSemaphore;
  values: WeightedSemaphore;
  patienceMs(): number;
  /** Called where it has to be waited for. */
  onWait(): void;
  onRefused(): void;
}

interface Taken {
  room: WeightedSemaphore;
  amount: number;
}

/** What one request takes of the room: for its bytes first, then for the values in them. */
export class BodyInHand {
  private bytes: Taken | undefined;
  private values: Taken | undefined;
  private arrived = 0;
  private waiting: Waiting | undefined;
  private over = false;

  constructor(private readonly limits: Limits) {}

  /** Room for a body of so many bytes. Throws `no_room_for_body` where there is none in time. */
  async reserve(bytes: number): Promise<void> {
    const taken = await this.take(this.limits.roomFor(bytes), bytes);
    giveBack(this.bytes);
    this.bytes = taken;
    // It may have ended in the moment between.
    if (this.over) this.end();
  }

  /**
   * So many more bytes of a body whose length nobody knows. Room is taken for all that may yet come: bodies that each have a
   * part of what they need would wait for one another. A promise where it has to be waited for.
   */
  add(bytes: number): Promise<void> | undefined {
    const { most } = this.limits;
    this.arrived += bytes;
    if (this.arrived <= Math.max(UNCOUNTED_BYTES, this.bytes?.amount ?? 0) || this.arrived > most) return undefined;
    return this.reserve(this.arrived <= MIDDLE_BYTES ? Math.min(MIDDLE_BYTES, most) : most);
  }

  /** It is whole: what was taken for more is not needed. */
  whole(): void {
    const { arrived, bytes } = this;
    if (!bytes || bytes.amount <= arrived) return;
    bytes.room.give(bytes.amount - arrived);
    bytes.amount = arrived;
  }

  /** Before JSON is parsed: room for what becomes of it. A promise where it has to be waited for; throws as `reserve`. */
  parse(json: Buffer): Promise<void> | undefined {
    const values = countValues(json);
    return values > UNCOUNTED_VALUES ? this.reserveValues(values) : undefined;
  }

  /** Whether others wait for what it has. Who waits as well holds up nobody. */
  get isInTheWay(): boolean {
    return !this.waiting && [this.bytes, this.values].some((taken) => taken?.room.isCrowded);
  }

  /** Bytes that there is room for. */
  get room(): number {
    return this.bytes?.amount ?? 0;
  }

  /** Whoever sends it is gone: there is nothing to wait for. */
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
