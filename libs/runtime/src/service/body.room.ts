import type { IncomingMessage } from 'node:http';
import { WeightedSemaphore } from '@lettermill/concurrency';
import { MAX_JSON_VALUES } from '@lettermill/contract';
import { Problem } from '@lettermill/problems';
import { bodyMetrics, type BodyMetrics } from '../metrics/body.metrics';
import { BodyInHand, MAX_MIDDLE_BYTES } from './body.in.hand';
import { SlowBodies, type ArrivingBody } from './slow.bodies';

const MIB = 1024 * 1024;
/** Room for bodies up to `MAX_MIDDLE_BYTES`. */
const MIDDLE_ROOM_BYTES = 16 * MIB;
/** How many bodies of the maximum size are in memory at a time; each takes five to six times its bytes. */
const MAX_LARGEST_BODIES = 2;
const MIN_LARGE_ROOM_BYTES = 64 * MIB;
/** A value takes 130 bytes, however short its text. There is room for two bodies with the maximum number of values. */
const VALUES_ROOM = 2 * MAX_JSON_VALUES;
const ROOM_TIMEOUT_MS = 10_000;
const TOO_SLOW_DETAIL = 'The body arrived too slowly to be complete in time, while others waited for its room.';

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
  private readonly slowBodies: SlowBodies;
  private readonly metrics: BodyMetrics;
  private patienceMs: number;

  constructor({ maxBodyBytes, patienceMs = ROOM_TIMEOUT_MS, wholeMs = 60_000, service = '' }: RoomOptions) {
    const figures = (this.metrics = bodyMetrics(service));
    this.middle = new WeightedSemaphore(MIDDLE_ROOM_BYTES, (taken) => figures.bytes('middle', taken));
    this.large = new WeightedSemaphore(Math.max(MIN_LARGE_ROOM_BYTES, MAX_LARGEST_BODIES * maxBodyBytes), (taken) =>
      figures.bytes('large', taken),
    );
    this.values = new WeightedSemaphore(VALUES_ROOM);
    this.slowBodies = new SlowBodies(wholeMs);
    this.patienceMs = patienceMs;
  }

  /** For a body of at most `maxBytes`. */
  createBody(maxBytes: number): BodyInHand {
    const roomFor = (bytes: number) => (bytes > MAX_MIDDLE_BYTES ? this.large : this.middle);
    return new BodyInHand({
      most: maxBytes,
      roomFor,
      values: this.values,
      patienceMs: () => this.patienceMs,
      onWait: () => this.slowBodies.startChecking(),
      onRefused: () => this.metrics.refused('no_room'),
    });
  }

  /** Refuses the body if it arrives too slowly while others wait for its room. Returns a function that ends the watch. */
  watch(body: BodyInHand, payload: IncomingMessage, length: number | undefined): () => void {
    const { socket } = payload;
    const coming: ArrivingBody = {
      payload,
      bytesRead: () => socket.bytesRead,
      isInTheWay: () => body.isInTheWay,
      expected: () => length ?? body.roomBytes,
      refuse: () => {
        // The reader of the body sees a body that was cut off, and answers with this problem.
        if (payload.listenerCount('error') === 0) return;
        this.slowBodies.forget(coming);
        this.metrics.refused('slow');
        payload.emit('error', new Problem('request_timeout', TOO_SLOW_DETAIL));
      },
    };
    this.slowBodies.watch(coming);
    return () => this.slowBodies.forget(coming);
  }

  /** The process ends: refuses all that wait, so that they try another one. */
  refuseWaiting(): void {
    this.patienceMs = 0;
    this.middle.refuseAll();
    this.large.refuseAll();
    this.values.refuseAll();
  }
}
