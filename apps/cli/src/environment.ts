import { ConfigFault, readConfig, type Config } from '@lettermill/runtime';
import { CommandFault } from './command.fault';

/** What the environment says. Throws `CommandFault` with all that can't be used in it. */
export function configOf(env: NodeJS.ProcessEnv): Config {
  try {
    return readConfig(env, 'cli');
  } catch (error) {
    if (error instanceof ConfigFault) throw new CommandFault(error.message, 78);
    throw error;
  }
}
