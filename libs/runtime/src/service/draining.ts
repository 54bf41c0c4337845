import { Injectable } from '@nestjs/common';

/** Whether this service is on its way out: readiness is off then. */
@Injectable()
export class Draining {
  private begun = false;

  begin(): void {
    this.begun = true;
  }

  get active(): boolean {
    return this.begun;
  }
}
