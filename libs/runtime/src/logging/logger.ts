import type { LoggerService } from '@nestjs/common';
import pino, { type Logger, type LoggerOptions } from 'pino';
import { SERVICES, type Role } from '@lettermill/config';
import { errorFields, logErrorTexts, messageText } from './error.texts';
import { standardOutput } from './standard.output';

export type { Logger };

/** Fields that may contain secrets or personal data are never written. */
const REDACTED_FIELDS = ['req.headers.authorization', 'authorization', 'headers.authorization', 'password', 'pass'];

/** What every logger has: its lines name the service, unless the process runs several, and repeat no content. */
export function loggerOptions(level: string, role: Role): LoggerOptions {
  return {
    level,
    base: role === 'standalone' ? undefined : { service: role },
    redact: REDACTED_FIELDS,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: errorFields, msg: messageText },
    hooks: { logMethod: logErrorTexts },
  };
}

/** JSON lines; readable text on a terminal. */
export function createLogger(level: string, role: Role = 'standalone'): Logger {
  const options = loggerOptions(level, role);
  if (process.stdout.isTTY) {
    return pino({ ...options, transport: { target: 'pino-pretty', options: { ignore: 'service', singleLine: true } } });
  }
  // pino writes buffered lines when the process ends.
  return pino(options, standardOutput());
}

/** A logger whose lines name the service, exactly once. */
export function loggerOf(service: string, logger: Logger): Logger {
  return logger.bindings().service === service ? logger : logger.child({ service });
}

type Line = unknown;

/** Nest passes a place for the stack even if there is none. */
function detailFields(details: unknown[]): { details?: unknown[] } {
  const present = details.filter((one) => one !== undefined);
  return present.length > 0 ? { details: present } : {};
}

/**
 * Writes Nest's own lines to the same stream, start-up chatter at level debug. Nest has only one logger for all services of a process,
 * that of the service created last. So a line whose context is the name of a service is logged for that service; other lines are
 * logged for `service`, or for none if that is undefined.
 */
export class NestLogger implements LoggerService {
  private readonly ownLogger: Logger;
  private readonly loggerByService: Map<string, Logger>;

  constructor(logger: Logger, service?: string) {
    this.ownLogger = service === undefined ? logger : loggerOf(service, logger);
    this.loggerByService = new Map(SERVICES.map((name) => [name, loggerOf(name, logger)]));
  }

  log(message: Line, context?: string): void {
    this.loggerFor(context).debug({ context }, String(message));
  }

  error(message: Line, ...details: unknown[]): void {
    const context = details.at(-1);
    if (message instanceof Error) this.loggerFor(context).error({ context, err: message }, message.message);
    else this.loggerFor(context).error({ context, ...detailFields(details.slice(0, -1)) }, String(message));
  }

  warn(message: Line, context?: string): void {
    this.loggerFor(context).warn({ context }, String(message));
  }

  debug(message: Line, context?: string): void {
    this.loggerFor(context).debug({ context }, String(message));
  }

  verbose(message: Line, context?: string): void {
    this.loggerFor(context).trace({ context }, String(message));
  }

  fatal(message: Line, context?: string): void {
    this.loggerFor(context).fatal({ context }, String(message));
  }

  private loggerFor(context: unknown): Logger {
    return this.loggerByService.get(String(context)) ?? this.ownLogger;
  }
}
