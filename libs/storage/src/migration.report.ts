import { Logger } from '@nestjs/common';

/** Reports the migration of a store of an older version: with much data it takes minutes, and the service answers nothing meanwhile. */
export function reportMigration(feature: string, migration: string): void {
  const [service] = feature.split('.');
  new Logger(service!).warn(`what an older version stored is brought up to date (${feature} ${migration})`);
}
