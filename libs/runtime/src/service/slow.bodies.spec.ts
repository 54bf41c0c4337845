import { SlowBodies, type ArrivingBody } from './slow.bodies';

const FULL_BODY_MS = 60_000;
const EXPECTED_BYTES = 60_000;

class Body implements ArrivingBody {
  payload = { complete: false, readableLength: 0 } as ArrivingBody['payload'];
  bytes = 0;
  waited = true;
  refused = false;
  bytesRead = () => this.bytes;
  isInTheWay = () => this.waited;
  expected = () => EXPECTED_BYTES;
  refuse = () => void (this.refused = true);
}

describe('request bodies that arrive slowly', () => {
  let slow: SlowBodies;
  let body: Body;
  beforeEach(() => {
    jest.useFakeTimers();
    slow = new SlowBodies(FULL_BODY_MS);
    body = new Body();
    slow.watch(body);
  });
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  /** Lets `bytes` arrive in each of `count` seconds. */
  const receiveFor = (count: number, bytes: number) => {
    for (let i = 0; i < count; i += 1) {
      body.bytes += bytes;
      jest.advanceTimersByTime(1_000);
    }
  };

  it('are refused within seven seconds once others wait', () => {
    receiveFor(20, 0);
    slow.startChecking();
    receiveFor(5, 999);
    expect(body.refused).toBe(false);
    receiveFor(2, 999);
    expect(body.refused).toBe(true);
  });

  it('are refused as soon, however often somebody begins to wait', () => {
    for (let second = 0; second < 7; second += 1) {
      slow.startChecking();
      receiveFor(1, 999);
    }
    expect(body.refused).toBe(true);
  });

  it('are not judged by a time in which nobody waited', () => {
    slow.startChecking();
    receiveFor(2, 1_000);
    body.waited = false;
    receiveFor(20, 0);
    body.waited = true;
    slow.startChecking();
    receiveFor(7, 1_000);
    expect(body.refused).toBe(false);
  });

  it('are not judged by a time in which the server read nothing because it was blocked', () => {
    slow.startChecking();
    receiveFor(4, 1_000);
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + 10_000);
    receiveFor(7, 1_000);
    expect(body.refused).toBe(false);
  });

  it('are kept while they arrive fast enough to be complete in time, and refused when they stop', () => {
    slow.startChecking();
    receiveFor(20, 1_000);
    expect(body.refused).toBe(false);
    receiveFor(11, 0);
    expect(body.refused).toBe(true);
  });

  it('are kept while nobody waits, when they are complete, and when the server does not read them', () => {
    slow.startChecking();
    body.waited = false;
    receiveFor(20, 0);
    expect(jest.getTimerCount()).toBe(0);
    body.waited = true;
    body.payload.complete = true;
    slow.startChecking();
    receiveFor(20, 0);
    Object.assign(body.payload, { complete: false, readableLength: 1 });
    receiveFor(20, 0);
    expect(body.refused).toBe(false);
  });

  it('are refused as well when somebody waits again later', () => {
    slow.startChecking();
    body.waited = false;
    receiveFor(2, 0);
    expect(jest.getTimerCount()).toBe(0);
    body.waited = true;
    slow.startChecking();
    receiveFor(7, 999);
    expect(body.refused).toBe(true);
  });

  it('are no longer checked once they have ended', () => {
    slow.forget(body);
    slow.startChecking();
    receiveFor(20, 0);
    expect([body.refused, jest.getTimerCount()]).toEqual([false, 0]);
  });
});
