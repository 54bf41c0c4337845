/** A wait that others can end. Only one at a time. */
export class Sleeper {
  private resolveSleep: (() => void) | undefined;

  /** Resolves at `wake`, or after `ms` milliseconds. */
  async sleep(ms?: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.resolveSleep = resolve;
      if (ms !== undefined) timer = setTimeout(resolve, ms);
    });
    clearTimeout(timer);
    this.resolveSleep = undefined;
  }

  wake(): void {
    this.resolveSleep?.();
  }
}
