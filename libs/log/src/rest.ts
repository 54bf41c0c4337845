/** A wait that others can end. Only one at a time. */
export class Rest {
  private rouse: (() => void) | undefined;

  /** Resolves at `end`, or after `ms` milliseconds. */
  async for(ms?: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.rouse = resolve;
      if (ms !== undefined) timer = setTimeout(resolve, ms);
    });
    clearTimeout(timer);
    this.rouse = undefined;
  }

  end(): void {
    this.rouse?.();
  }
}
