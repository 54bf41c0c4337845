import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { API_KEY } from '../installations/lettermill';

export interface RawAnswer {
  status: number;
  type: string;
  text: string;
}

/** Far longer than any answer takes, even on a busy machine. */
const ANSWER_TIMEOUT_MS = 60_000;

/** Posts raw bytes over kept-alive connections. An answer that is missing after a minute, or cut off, fails the test. */
export class RawClient {
  private readonly agent: Agent;

  constructor(
    readonly port: number,
    connections: number,
  ) {
    this.agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  post(body: Buffer | string, headers: Record<string, string | string[]> = {}): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      const call = httpRequest(
        {
          host: '127.0.0.1',
          port: this.port,
          agent: this.agent,
          method: 'POST',
          path: '/v2/send/email',
          headers: {
            authorization: `Bearer ${API_KEY}`,
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
            ...headers,
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () =>
            resolve({
              status: response.statusCode!,
              type: response.headers['content-type'] ?? '',
              text: Buffer.concat(chunks).toString(),
            }),
          );
        },
      );
      call.setTimeout(ANSWER_TIMEOUT_MS, () => call.destroy(new Error(`no answer in ${ANSWER_TIMEOUT_MS} ms`)));
      call.on('error', reject);
      call.end(body);
    });
  }

  close(): void {
    this.agent.destroy();
  }

  /** Opens a connection of its own, for what no client library would send. */
  async open(): Promise<Socket> {
    const socket = connect(this.port, '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  }

  /**
   * Writes bytes (its `last`, if set) and resolves to what comes back: one answer, or `all` until the other side ends the
   * connection or a minute has passed.
   */
  async exchange(bytes: string | Buffer, { last = false, all = false } = {}): Promise<string> {
    const socket = await this.open();
    const text = await new Promise<string>((resolve) => {
      let read = '';
      const end = () => resolve(read);
      const timer = setTimeout(end, ANSWER_TIMEOUT_MS);
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        read += chunk;
        if (!all && /\r\n\r\n[^]*}$/.test(read)) end();
      });
      socket.on('close', end);
      socket.on('close', () => clearTimeout(timer));
      if (last) socket.end(bytes);
      else socket.write(bytes);
    });
    socket.destroy();
    return text;
  }
}
