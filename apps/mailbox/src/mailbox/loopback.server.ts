import { SMTPServer } from 'smtp-server';
import { PLACEHOLDER, replaceQuotedLocalPart } from './quoted.address';

type Connection = SMTPServer['connections'] extends Set<infer One> ? One : never;

/** smtp-server lets every client wait for 100 ms to detect spammers; on loopback there are none. */
function skipGreetingDelay(connection: Connection): void {
  const ready = connection.connectionReady.bind(connection);
  connection.connectionReady = () => undefined;
  ready();
}

/** smtp-server cuts addresses at spaces and at every @, even within quotes; this makes it read them as a whole. */
function acceptQuotedAddresses(connection: Connection): void {
  const parse = connection._parseAddressCommand.bind(connection);
  connection._parseAddressCommand = (name, command) => {
    const quoted = replaceQuotedLocalPart(command.toString());
    if (!quoted) return parse(name, command);
    const parsed = parse(name, quoted.rest);
    return parsed && { ...parsed, address: quoted.localPart + parsed.address.slice(PLACEHOLDER.length) };
  };
}

/** smtp-server, adapted to clients on the same machine. */
export class LoopbackServer extends SMTPServer {
  override connect(...given: Parameters<SMTPServer['connect']>): void {
    const before = this.connections.size;
    super.connect(...given);
    // A connection over the limit has been rejected by now.
    if (this.connections.size === before) return;
    const connection = [...this.connections].at(-1)!;
    acceptQuotedAddresses(connection);
    skipGreetingDelay(connection);
  }
}
