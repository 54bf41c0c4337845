/** A wait that others can end. One at a time. */
export class Rest {
  private rouse: (() => void) | undefined;

  /** Until `end`, or for so many milliseconds. */
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
