import { once } from 'node:events';
import { request } from 'node:http';
import type { Socket } from 'node:net';

const MASK = 0x80;
const TEXT_FRAME = 0x81;

/** A short text as a WebSocket frame of a client (RFC 6455 5.2), masked with zeros. */
function frame(text: string): Buffer {
  return Buffer.concat([Buffer.from([TEXT_FRAME, MASK | text.length, 0, 0, 0, 0]), Buffer.from(text)]);
}

/**
 * Makes a process that was started with `--inspect=127.0.0.1:<port>` collect its garbage, so that it then holds only
 * memory that it needs.
 */
export async function collectGarbage(port: number): Promise<void> {
  const targets = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as { webSocketDebuggerUrl: string }[];
  const { pathname } = new URL(targets[0]!.webSocketDebuggerUrl);
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': Buffer.alloc(16).toString('base64'),
  };
  const call = request({ host: '127.0.0.1', port, path: pathname, headers }).end();
  const [, socket] = (await once(call, 'upgrade')) as [unknown, Socket];
  socket.write(frame('{"id":1,"method":"HeapProfiler.collectGarbage"}'));
  await once(socket, 'data');
  socket.destroy();
}
