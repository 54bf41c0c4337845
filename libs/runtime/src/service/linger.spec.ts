import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { isLingering, linger, lingerAfter } from './linger';

class FakeSocket extends EventEmitter {
  bytesRead = 0;
  writableFinished = false;
  destroyed = false;
  readonly end = jest.fn();
  readonly resume = jest.fn();
  destroySoon?: () => void;

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

const requestOn = (socket: FakeSocket, headers: IncomingMessage['headers'], complete = false) =>
  ({ socket, headers, complete, resume: jest.fn() }) as unknown as IncomingMessage & { complete: boolean };

describe('a connection whose client was answered early', () => {
  let socket: FakeSocket;
  beforeEach(() => {
    jest.useFakeTimers();
    socket = new FakeSocket();
  });
  afterEach(() => jest.useRealTimers());

  const lingers = (request?: IncomingMessage) => linger(socket as unknown as Socket, request);
  /** The client sends a byte every second, for so long. */
  const sendFor = (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) {
      socket.bytesRead += 1;
      jest.advanceTimersByTime(1_000);
    }
  };

  it('ends on our side at once, and is closed two seconds after the client has sent its last byte', () => {
    lingers();
    expect([socket.end.mock.calls.length, socket.resume.mock.calls.length]).toEqual([1, 1]);
    expect(isLingering(socket as unknown as Socket)).toBe(true);
    sendFor(5);
    expect(socket.destroyed).toBe(false);
    jest.advanceTimersByTime(2_000);
    expect(socket.destroyed).toBe(true);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('is closed after ten seconds, or 128 MiB, even if the client goes on', () => {
    lingers();
    sendFor(9);
    expect(socket.destroyed).toBe(false);
    sendFor(2);
    expect(socket.destroyed).toBe(true);
    socket = new FakeSocket();
    lingers();
    socket.bytesRead = 129 * 1024 * 1024;
    jest.advanceTimersByTime(100);
    expect(socket.destroyed).toBe(true);
  });

  it('is closed as soon as the request has arrived and the answer is written', () => {
    const request = requestOn(socket, {});
    lingers(request);
    request.complete = true;
    jest.advanceTimersByTime(100);
    expect(socket.destroyed).toBe(false);
    socket.writableFinished = true;
    jest.advanceTimersByTime(100);
    expect(socket.destroyed).toBe(true);
  });

  it.each([
    ['is complete', { 'content-length': '100000000' }, true, false, false],
    ['has no body', {}, false, false, false],
    ['lacks little', { 'content-length': '65536' }, false, true, false],
    ['lacks much', { 'content-length': '65537' }, false, true, true],
    ['has an unknown length', { 'transfer-encoding': 'chunked' }, false, true, true],
  ])('lingers, and is not kept, depending on its request: one that %s', (_what, headers, complete, reads, ends) => {
    expect(lingerAfter(requestOn(socket, headers, complete))).toBe(ends);
    socket.destroySoon?.();
    expect(isLingering(socket as unknown as Socket)).toBe(reads);
  });
});
