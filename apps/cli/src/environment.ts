import { ConfigFault, readConfig, type Config } from '@lettermill/config';
import { CommandFault } from './command.fault';

/** The configuration from the environment. Throws `CommandFault` with everything in it that cannot be used. */
export function configOf(env: NodeJS.ProcessEnv): Config {
  try {
    return readConfig(env, 'cli');
  } catch (error) {
    if (error instanceof ConfigFault) throw new CommandFault(error.message, 78);
    throw error;
  }
}
