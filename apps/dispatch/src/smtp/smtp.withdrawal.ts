/**
 * Lets an attempt be given up as long as its mail was not handed over. An AbortSignal would do, but an attempt is awaited in one place
 * after another, so one listener at a time is enough, and costs next to nothing.
 */
export class Withdrawal {
  private listener: (() => void) | undefined;
  private called = false;

  /** `isDue`: whether the attempt is to be given up although nobody has called `withdraw` yet. */
  constructor(private readonly isDue: () => boolean = () => false) {}

  get withdrawn(): boolean {
    return this.called;
  }

  /** Has an effect once. */
  withdraw(): void {
    if (this.called) return;
    this.called = true;
    this.listener?.();
  }

  /** Withdraws if that is due; returns whether the attempt is withdrawn. */
  check(): boolean {
    if (!this.called && this.isDue()) this.withdraw();
    return this.called;
  }

  /** Makes this the only listener from now on; it is called at once if the attempt was already withdrawn. */
  listen(listener: () => void): void {
    this.listener = listener;
    if (this.called) listener();
  }

  /** Removes the listener, unless another one has taken its place. */
  unlisten(listener: () => void): void {
    if (this.listener === listener) this.listener = undefined;
  }
}
