import type { IncomingMessage } from 'node:http';
import { WeightedSemaphore } from '@lettermill/concurrency';
import { MAX_JSON_VALUES } from '@lettermill/contract';
import { Problem } from '@lettermill/problems';
import { bodyFigures, type BodyFigures } from '../metrics/body.figures';
import { BodyInHand, MIDDLE_BYTES } from './body.in.hand';
import { SlowBodies, type ComingBody } from './slow.bodies';

const MIB = 1024 * 1024;
/** Of those up to `MIDDLE_BYTES`. */
const MIDDLE_ROOM = 16 * MIB;
/** So many of the largest bodies that are read are in hand at a time; each takes five to six times its bytes. */
const LARGEST_AT_ONCE = 2;
const LARGE_ROOM = 64 * MIB;
/** A value takes 130 bytes, however short its text: two bodies of as many as are read are in hand at a time. */
const VALUES_ROOM = 2 * MAX_JSON_VALUES;
const PATIENCE_MS = 10_000;
const TOO_SLOW = 'The body arrived too slowly to be complete in time, while others waited for its room.';

interface RoomOptions {
  /** The largest body that is read. */
  maxBodyBytes: number;
  patienceMs?: number;
  /** A request must be whole within this. */
  wholeMs?: number;
  /** Whose figures these are. */
  service?: string;
}

/** Room for the bodies that a server holds in memory, over all requests: from their first byte until they are answered. */
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

  /** Of a body that is not longer than `most`. */
  body(most: number): BodyInHand {
    const roomFor = (bytes: number) => (bytes > MIDDLE_BYTES ? this.large : this.middle);
    return new BodyInHand({
      ...{ most, roomFor, values: this.values },
      patienceMs: () => this.patienceMs,
      onWait: () => this.slow.look(),
      onRefused: () => this.figures.refused('no_room'),
    });
  }

  /** Refuses the body where others wait for its room and it comes too slowly. Answers what ends that. */
  watch(body: BodyInHand, payload: IncomingMessage, length: number | undefined): () => void {
    const { socket } = payload;
    const coming: ComingBody = {
      payload,
      bytesRead: () => socket.bytesRead,
      isInTheWay: () => body.isInTheWay,
      expected: () => length ?? body.room,
      refuse: () => {
        // Whoever reads it takes it as a body that broke off, and answers so.
        if (payload.listenerCount('error') === 0) return;
        this.slow.forget(coming);
        this.figures.refused('slow');
        payload.emit('error', new Problem('request_timeout', TOO_SLOW));
      },
    };
    this.slow.watch(coming);
    return () => this.slow.forget(coming);
  }

  /** The process ends: whoever waits is told to try elsewhere. */
  end(): void {
    this.patienceMs = 0;
    this.middle.refuse();
    this.large.refuse();
    this.values.refuse();
  }
}
