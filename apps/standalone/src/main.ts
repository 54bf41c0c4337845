import { ConfigFault, createLogger, readConfig, type Config } from '@lettermill/runtime';
import { Standalone } from './standalone';

/** What sysexits.h calls EX_CONFIG. */
const EXIT_CONFIG = 78;
/** Exit code 0 within 10 s of SIGTERM, whatever hangs: all that was acknowledged is on disk. */
const LAST_MOMENT_MS = 9_000;

function settings(): Config {
  try {
    return readConfig(process.env, 'standalone');
  } catch (error) {
    if (!(error instanceof ConfigFault)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(EXIT_CONFIG);
  }
}

async function main(): Promise<void> {
  const config = settings();
  const logger = createLogger(config.logLevel);
  const die = (error: Error) => {
    logger.fatal({ err: error }, error.message);
    logger.flush();
    process.exit(1);
  };
  process.on('uncaughtException', die);
  process.on('unhandledRejection', (reason) => die(reason instanceof Error ? reason : new Error(String(reason))));

  const standalone = new Standalone(config, logger, die);
  let stopping = false;
  const stop = (signal: string) => {
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'finishing what is in hand');
    setTimeout(() => process.exit(0), LAST_MOMENT_MS).unref();
    void standalone.stop().then(() => process.exit(0), die);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);

  const text = await standalone.start().catch(die);
  if (text) process.stdout.write(text);
}

void main();
