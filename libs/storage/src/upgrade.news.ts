import { Logger } from '@nestjs/common';

/** Of a store that an older version made. What is much takes minutes, and the service answers nothing meanwhile. */
export function tellUpgrade(feature: string, migration: string): void {
  const [service] = feature.split('.');
  new Logger(service!).warn(`what an older version stored is brought up to date (${feature} ${migration})`);
}
