/** The part of mongodb 7 for which it has no types: the connection that a command is written to. */
declare module 'mongodb/lib/cmap/connection.js' {
  import type { EventEmitter } from 'node:events';
  import type { Duplex } from 'node:stream';

  export interface WriteOptions {
    agreedCompressor?: string;
    signal?: AbortSignal;
  }

  export class Connection extends EventEmitter {
    constructor(socket: Duplex, options: Record<string, unknown>);
    readonly error: Error | null;
    readonly closed: boolean;
    writeCommand(command: { toBin(): Promise<Uint8Array[]> }, options: WriteOptions): Promise<void>;
  }
}
