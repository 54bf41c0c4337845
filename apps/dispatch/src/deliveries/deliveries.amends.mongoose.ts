import type { Operation } from './deliveries.updates.mongoose';

/** Undoes what failed and may have been done all the same, before anything is claimed again. */
export class Amends {
  private owed: Operation[] = [];

  constructor(private readonly write: (operations: Operation[]) => Promise<unknown>) {}

  /** Runs `work`; should it reject, its `undo` is owed. */
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
