import type { Operation } from './deliveries.updates.mongoose';

/** Before anything is claimed again, undoes failed writes that may have been carried out all the same. */
export class PendingUndos {
  private pending: Operation[] = [];

  constructor(private readonly write: (operations: Operation[]) => Promise<unknown>) {}

  /** Runs `work`; if it rejects, `undo` is owed. */
  async runUndoable<T>(undo: () => Operation[], work: () => Promise<T>): Promise<T> {
    await this.runPending();
    try {
      return await work();
    } catch (error) {
      this.pending.push(...undo());
      throw error;
    }
  }

  async runPending(): Promise<void> {
    if (this.pending.length === 0) return;
    const operations = this.pending.splice(0);
    try {
      await this.write(operations);
    } catch (error) {
      this.pending.push(...operations);
      throw error;
    }
  }
}
