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

/** Resolves when the work is settled, after `ms` at the latest. */
export async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work.catch(() => {}), over]);
  clearTimeout(timer);
}
