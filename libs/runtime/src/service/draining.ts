import { Injectable } from '@nestjs/common';

/** Whether this service is on its way out: readiness is off then. */
@Injectable()
export class Draining {
  private begun = false;
  private readonly told: (() => void)[] = [];

  begin(): void {
    this.begun = true;
    for (const tell of this.told.splice(0)) tell();
  }

  /** Called once, when it begins. */
  onBegin(tell: () => void): void {
    this.told.push(tell);
  }

  get active(): boolean {
    return this.begun;
  }
}
