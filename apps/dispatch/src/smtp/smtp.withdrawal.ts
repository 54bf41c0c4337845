/**
 * An attempt that may be given up as long as its mail was not handed over. An AbortSignal would do; but an attempt is waited for in one
 * place after the other, so that one listener at a time is enough, and costs nothing beside the mail.
 */
export class Withdrawal {
  private listener: (() => void) | undefined;
  private called = false;

  get withdrawn(): boolean {
    return this.called;
  }

  /** Once. */
  withdraw(): void {
    if (this.called) return;
    this.called = true;
    this.listener?.();
  }

  /** From here on this one is told, at once where it was withdrawn before; nobody else is any more. */
  listen(listener: () => void): void {
    this.listener = listener;
    if (this.called) listener();
  }

  /** It is told no more, unless somebody else listens already. */
  leave(listener: () => void): void {
    if (this.listener === listener) this.listener = undefined;
  }
}
