import type { Terminal } from '../terminal';
import { Gateway } from './gateway';

/** The gateway of a command, which tells on standard error what it waits for. Throws `CommandFault`. */
export function openGateway({ env, stderr }: Terminal): Promise<Gateway> {
  return Gateway.of(env, (text) => void stderr.write(`${text}\n`));
}
