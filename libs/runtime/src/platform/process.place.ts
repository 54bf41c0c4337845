import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** What tells one machine, container or network from another of the same host name. */
export interface Surroundings {
  hostname: string;
  /** Undefined where there is none, as in most containers. */
  machineId: string | undefined;
  /** Names of the namespaces of this process; undefined where there are none. */
  hostNamespace: string | undefined;
  networkNamespace: string | undefined;
}

/** The namespace of host names that every Linux begins with; a container has one of its own, and so a host name of its own. */
const FIRST_HOST_NAMESPACE = 'uts:[4026531838]';

/**
 * A name for the place where a process listens: another process that lives has another one, and the one that follows it
 * has the same. So it has the address, as a port may be free on another one, and the network of a process that shares
 * the host name of its machine. A container gets another network when it is restarted: there it is left out.
 */
export function placeName(
  service: string,
  { host, port }: { host: string; port: number },
  around: Surroundings,
): string {
  const sharesHostname = around.hostNamespace === FIRST_HOST_NAMESPACE;
  const more = [host, around.machineId, sharesHostname ? around.networkNamespace : undefined];
  const told = createHash('sha256').update(JSON.stringify(more)).digest('hex').slice(0, 12);
  return `${service}-${around.hostname}-${port}-${told}`;
}

export function surroundings(): Surroundings {
  return {
    hostname: hostname(),
    machineId: orUndefined(() => readFileSync('/etc/machine-id', 'utf8').trim()),
    hostNamespace: orUndefined(() => readlinkSync('/proc/self/ns/uts')),
    networkNamespace: orUndefined(() => readlinkSync('/proc/self/ns/net')),
  };
}

function orUndefined(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
