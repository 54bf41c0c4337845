/** A task that has waited longer than this takes turns with lighter ones, so that they do not overtake it forever. */
const LONG_WAIT_MS = 2_000;

export interface WaitingTask {
  /** Whose task it is: accounts take turns. */
  account: string;
  weight: number;
  /** Reading of a monotonic clock. */
  since: number;
  /** Never rejects. */
  perform(): Promise<void>;
  giveUp(): void;
}

export interface WaitingLimits {
  /** A task that has waited longer is given up: nobody waits for its result any more. */
  maxWaitMs: number;
  /** Weight of all tasks of one account that wait: each keeps its caller and what that sent in memory. */
  maxAccountWeight: number;
}

/** The waiting tasks of one account: the lightest first, and of equal weight the oldest. */
class AccountTasks {
  private tasks: WaitingTask[] = [];
  private oldestNext = true;

  get size(): number {
    return this.tasks.length;
  }

  get weight(): number {
    return this.tasks.reduce((sum, { weight }) => sum + weight, 0);
  }

  add(task: WaitingTask): void {
    const behind = this.tasks.findIndex((other) => other.weight > task.weight);
    this.tasks.splice(behind < 0 ? this.tasks.length : behind, 0, task);
  }

  /** Once the oldest has waited too long, every second turn goes to the oldest. */
  take(now: number): WaitingTask | undefined {
    const oldest = this.tasks.reduce((first, one, at, all) => (one.since < all[first]!.since ? at : first), 0);
    const late = now - (this.tasks[oldest]?.since ?? Infinity) > LONG_WAIT_MS;
    const byAge = late && this.oldestNext;
    this.oldestNext = !byAge;
    return byAge ? this.tasks.splice(oldest, 1)[0] : this.tasks.shift();
  }

  /** Those that have waited since before `since`; they are removed. */
  takeOlderThan(since: number): WaitingTask[] {
    const old = this.tasks.filter((task) => task.since < since);
    if (old.length > 0) this.tasks = this.tasks.filter((task) => task.since >= since);
    return old;
  }
}

/** What waits for a thread. Accounts take turns, so that the tasks of one, however many or heavy, delay those of another by one at most. */
export class WaitingTasks {
  private readonly accounts = new Map<string, AccountTasks>();
  private last: string | undefined;

  constructor(private readonly limits: WaitingLimits) {}

  get size(): number {
    return [...this.accounts.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** False if too much of the account waits already. A task alone always has room. */
  add(task: WaitingTask): boolean {
    const waiting = this.accounts.get(task.account) ?? new AccountTasks();
    if (waiting.size > 0 && waiting.weight + task.weight > this.limits.maxAccountWeight) return false;
    waiting.add(task);
    this.accounts.set(task.account, waiting);
    return true;
  }

  /** The next one. Those that have waited for too long are given up before. */
  take(now: number): WaitingTask | undefined {
    for (const [account, waiting] of this.turns()) {
      for (const task of waiting.takeOlderThan(now - this.limits.maxWaitMs)) task.giveUp();
      const task = waiting.take(now);
      // A map keeps the order in which keys were added: the others come first from now on.
      this.accounts.delete(account);
      if (waiting.size > 0) this.accounts.set(account, waiting);
      if (!task) continue;
      this.last = account;
      return task;
    }
    return undefined;
  }

  /** The account that had the last turn comes last, even if it had nothing waiting meanwhile. */
  private turns(): [string, AccountTasks][] {
    const all = [...this.accounts];
    return [...all.filter(([account]) => account !== this.last), ...all.filter(([account]) => account === this.last)];
  }
}
