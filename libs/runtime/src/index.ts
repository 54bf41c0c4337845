export * from './config/config';
export type { RateLimit } from './config/config.fields';
export * from './config/smtp-url';
export * from './internal/internal.guard';
export * from './internal/internal.token';
export * from './logging/logger';
export * from './platform/caught-up';
export * from './platform/platform';
export * from './platform/platform.module';
