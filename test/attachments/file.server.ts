import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selfSigned } from './self.signed';

/** Serves files over https on loopback. */
export interface FileServer {
  url: string;
  /** For NODE_EXTRA_CA_CERTS. */
  certFile: string;
  server: Server;
  close(): void;
}

export async function startFileServer(respond: RequestListener): Promise<FileServer> {
  const directory = mkdtempSync(join(tmpdir(), 'lettermill-tls-'));
  const { certFile, ...tls } = selfSigned(directory);
  const server = createServer(tls, respond).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.closeAllConnections();
    server.close();
    rmSync(directory, { recursive: true, force: true });
  };
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, certFile, server, close };
}
