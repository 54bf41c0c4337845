/** Roughly the memory that an entry takes beside its bytes. */
const ENTRY_OVERHEAD_BYTES = 256;

interface Entry {
  owner: Map<number, Buffer>;
  place: number;
  cost: number;
}

/** The latest bytes of all topics, so that consumers that keep up read no file. Bounded; the oldest are dropped first. */
export class TailMemory {
  private readonly entries = new Set<Entry>();
  private cost = 0;

  constructor(private readonly limit: number) {}

  /** `owner` is the map of one topic: from the place where a piece begins to its bytes. */
  add(owner: Map<number, Buffer>, place: number, bytes: Buffer): void {
    const entry = { owner, place, cost: bytes.length + ENTRY_OVERHEAD_BYTES };
    if (entry.cost > this.limit) return;
    owner.set(place, bytes);
    this.entries.add(entry);
    this.cost += entry.cost;
    for (const oldest of this.entries) {
      if (this.cost <= this.limit) break;
      this.entries.delete(oldest);
      oldest.owner.delete(oldest.place);
      this.cost -= oldest.cost;
    }
  }
}
