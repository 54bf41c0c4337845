import type { IncomingMessage } from 'node:http';
import { WeightedSemaphore } from '@lettermill/concurrency';
import { MAX_JSON_VALUES } from '@lettermill/contract';
import { Problem } from '@lettermill/problems';
import { bodyFigures, type BodyFigures } from '../metrics/body.figures';
import { BodyInHand, MIDDLE_BYTES } from './body.in.hand';
import { SlowBodies, type ComingBody } from './slow.bodies';

const MIB = 1024 * 1024;
/** Room for bodies up to `MIDDLE_BYTES`. */
const MIDDLE_ROOM = 16 * MIB;
/** How many bodies of the maximum size are in memory at a time; each takes five to six times its bytes. */
const LARGEST_AT_ONCE = 2;
const LARGE_ROOM = 64 * MIB;
/** A value takes 130 bytes, however short its text. There is room for two bodies with the maximum number of values. */
const VALUES_ROOM = 2 * MAX_JSON_VALUES;
const PATIENCE_MS = 10_000;
const TOO_SLOW = 'The body arrived too slowly to be complete in time, while others waited for its room.';

interface RoomOptions {
  /** The largest body that is accepted. */
  maxBodyBytes: number;
  patienceMs?: number;
  /** A request must be complete within this time. */
  wholeMs?: number;
  /** The service of the metrics. */
  service?: string;
}

/** Room for the bodies of all requests that a server holds in memory, each from its first byte until the request is answered. */
export class BodyRoom {
  private readonly middle: WeightedSemaphore;
  private readonly large: WeightedSemaphore;
  private readonly values: WeightedSemaphore;
  private readonly slow: SlowBodies;
  private readonly figures: BodyFigures;
  private patienceMs: number;

  constructor({ maxBodyBytes, patienceMs = PATIENCE_MS, wholeMs = 60_000, service = '' }: RoomOptions) {
    const figures = (this.figures = bodyFigures(service));
    this.middle = new WeightedSemaphore(MIDDLE_ROOM, (taken) => figures.bytes('middle', taken));
    this.large = new WeightedSemaphore(Math.max(LARGE_ROOM, LARGEST_AT_ONCE * maxBodyBytes), (taken) =>
      figures.bytes('large', taken),
    );
    this.values = new WeightedSemaphore(VALUES_ROOM);
    this.slow = new SlowBodies(wholeMs);
    this.patienceMs = patienceMs;
  }

  /** For a body of at most `most` bytes. */
  body(most: number): BodyInHand {
    const roomFor = (bytes: number) => (bytes > MIDDLE_BYTES ? this.large : this.middle);
    return new BodyInHand({
      ...{ most, roomFor, values: this.values },
      patienceMs: () => this.patienceMs,
      onWait: () => this.slow.look(),
      onRefused: () => this.figures.refused('no_room'),
    });
  }

  /** Refuses the body if it arrives too slowly while others wait for its room. Returns a function that ends the watch. */
  watch(body: BodyInHand, payload: IncomingMessage, length: number | undefined): () => void {
    const { socket } = payload;
    const coming: ComingBody = {
      payload,
      bytesRead: () => socket.bytesRead,
      isInTheWay: () => body.isInTheWay,
      expected: () => length ?? body.room,
      refuse: () => {
        // The reader of the body sees a body that was cut off, and answers with this problem.
        if (payload.listenerCount('error') === 0) return;
        this.slow.forget(coming);
        this.figures.refused('slow');
        payload.emit('error', new Problem('request_timeout', TOO_SLOW));
      },
    };
    this.slow.watch(coming);
    return () => this.slow.forget(coming);
  }

  /** The process ends: refuses all that wait, so that they try another one. */
  end(): void {
    this.patienceMs = 0;
    this.middle.refuse();
    this.large.refuse();
    this.values.refuse();
  }
}
