import { Readable } from 'node:stream';

export interface ContentWatcher {
  /** The server wants the content: asked once. False withholds all of it. */
  begin(): boolean;
  /** Another block is asked for. */
  block(): void;
  /** The last byte was taken; the final dot follows in the same turn. */
  handedOver(): void;
}

/** A mail's bytes as a stream that tells how far it was read. */
export class ContentStream extends Readable {
  private begun = false;

  constructor(
    private readonly chunks: Iterator<Buffer>,
    private readonly watcher: ContentWatcher,
  ) {
    super({ highWaterMark: 1 });
    this.once('end', () => watcher.handedOver());
  }

  override _read(): void {
    if (!this.begun) {
      this.begun = true;
      if (!this.watcher.begin()) return;
    }
    this.watcher.block();
    const { value, done } = this.chunks.next() as IteratorResult<Buffer, undefined>;
    this.push(done ? null : value);
  }
}
