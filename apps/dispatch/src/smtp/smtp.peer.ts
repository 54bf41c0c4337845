import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Peer } from '../lifecycle/delivery';

/** The server that a connected socket leads to; undefined if the connection is already gone. */
export function peerOf(socket: Socket): Peer | undefined {
  const { remoteAddress } = socket;
  return remoteAddress === undefined ? undefined : { remoteAddress, tls: tlsOf(socket) };
}

function tlsOf(socket: Socket): Peer['tls'] {
  if (!(socket instanceof TLSSocket)) return null;
  const protocol = socket.getProtocol();
  // There is no protocol before the handshake is over.
  if (!protocol) return null;
  return { protocol, cipher: socket.getCipher().standardName, verified: socket.authorized };
}
