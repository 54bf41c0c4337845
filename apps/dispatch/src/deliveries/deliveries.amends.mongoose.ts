import type { Operation } from './deliveries.updates.mongoose';

/** Before anything is claimed again, undoes failed writes that may have been carried out all the same. */
export class Amends {
  private owed: Operation[] = [];

  constructor(private readonly write: (operations: Operation[]) => Promise<unknown>) {}

  /** Runs `work`; if it rejects, `undo` is owed. */
  async after<T>(undo: () => Operation[], work: () => Promise<T>): Promise<T> {
    await this.make();
    try {
      return await work();
    } catch (error) {
      this.owed.push(...undo());
      throw error;
    }
  }

  async make(): Promise<void> {
    if (this.owed.length === 0) return;
    const owed = this.owed.splice(0);
    try {
      await this.write(owed);
    } catch (error) {
      this.owed.push(...owed);
      throw error;
    }
  }
}
