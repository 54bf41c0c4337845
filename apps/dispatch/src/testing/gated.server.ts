import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterwards } from './test.servers';

/**
 * A gate before the server on `to`, for this test. It lets in connections for which `admits` is true; they are counted until they are closed
 * on both sides.
 */
export async function gated(
  to: number,
  admits: (connection: number, open: number) => boolean,
): Promise<{ port: number; refused(): number }> {
  let came = 0;
  let open = 0;
  let refused = 0;
  const gate = createServer((socket: Socket) => {
    socket.on('error', () => undefined);
    if (!admits((came += 1), open)) {
      refused += 1;
      return void socket.end('421 4.7.0 too many connections\r\n');
    }
    open += 1;
    socket.on('close', () => (open -= 1));
    socket.pipe(connect(to, '127.0.0.1')).pipe(socket);
  }).listen(0, '127.0.0.1');
  afterwards(() => void gate.close());
  await once(gate, 'listening');
  return { port: (gate.address() as AddressInfo).port, refused: () => refused };
}
