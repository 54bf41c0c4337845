import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { pause } from '@lettermill/concurrency';

/** A server that stops in the middle of each answer. */
export class StallingServer {
  private constructor(private readonly server: Server) {}

  static async open(): Promise<StallingServer> {
    const server = createServer((_, reply) => void reply.writeHead(200, { 'content-length': 9 }).write('half'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return new StallingServer(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Waits for a request of this process, and collects its garbage while it waits for the rest of the answer. */
  async collectGarbageMeanwhile(): Promise<void> {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    await once(this.server, 'request');
    for (let i = 0; i < 3; i += 1) {
      await pause(100);
      collect();
    }
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

/** Makes the next signal of `AbortSignal.timeout` abort after this time instead. */
export function shortenNextTimeout(ms: number): void {
  const timeoutOf = AbortSignal.timeout.bind(AbortSignal);
  jest.spyOn(AbortSignal, 'timeout').mockImplementationOnce(() => timeoutOf(ms));
}
