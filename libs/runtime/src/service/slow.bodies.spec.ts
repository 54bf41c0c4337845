import { SlowBodies, type ComingBody } from './slow.bodies';

const WHOLE_MS = 60_000;
const EXPECTED = 60_000;

class Body implements ComingBody {
  payload = { complete: false, readableLength: 0 } as ComingBody['payload'];
  bytes = 0;
  waited = true;
  refused = false;
  bytesRead = () => this.bytes;
  isInTheWay = () => this.waited;
  expected = () => EXPECTED;
  refuse = () => void (this.refused = true);
}

describe('request bodies that arrive slowly', () => {
  let slow: SlowBodies;
  let body: Body;
  beforeEach(() => {
    jest.useFakeTimers();
    slow = new SlowBodies(WHOLE_MS);
    body = new Body();
    slow.watch(body);
  });
  afterEach(() => jest.useRealTimers());

  /** Lets `bytes` arrive in each of `count` seconds. */
  const seconds = (count: number, bytes: number) => {
    for (let i = 0; i < count; i += 1) {
      body.bytes += bytes;
      jest.advanceTimersByTime(1_000);
    }
  };

  it('are refused within seven seconds once others wait', () => {
    seconds(20, 0);
    slow.look();
    seconds(5, 999);
    expect(body.refused).toBe(false);
    seconds(2, 999);
    expect(body.refused).toBe(true);
  });

  it('are kept while they arrive fast enough to be complete in time, and refused when they stop', () => {
    slow.look();
    seconds(20, 1_000);
    expect(body.refused).toBe(false);
    seconds(11, 0);
    expect(body.refused).toBe(true);
  });

  it('are kept while nobody waits, when they are complete, and when the server does not read them', () => {
    slow.look();
    body.waited = false;
    seconds(20, 0);
    expect(jest.getTimerCount()).toBe(0);
    body.waited = true;
    body.payload.complete = true;
    slow.look();
    seconds(20, 0);
    Object.assign(body.payload, { complete: false, readableLength: 1 });
    seconds(20, 0);
    expect(body.refused).toBe(false);
  });

  it('are no longer checked once they have ended', () => {
    slow.forget(body);
    slow.look();
    seconds(20, 0);
    expect([body.refused, jest.getTimerCount()]).toEqual([false, 0]);
  });
});
