/** A pause that can be cut short. One at a time. */
export class Pause {
  private rouse: (() => void) | undefined;

  async for(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.rouse = resolve;
      timer = setTimeout(resolve, ms);
    });
    clearTimeout(timer);
    this.rouse = undefined;
  }

  end(): void {
    this.rouse?.();
  }
}
