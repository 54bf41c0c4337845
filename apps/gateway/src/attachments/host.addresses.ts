import { lookup, Resolver } from 'node:dns/promises';
import { Slots } from '@lettermill/concurrency';

/** Of one query to one server: timeout in milliseconds, and number of tries. */
const QUERY_OPTIONS = { timeout: 2_000, tries: 2 };
/** Error codes that mean that the name does not exist, or has no address of that kind. */
const NO_ADDRESS_CODES = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/**
 * Finds the addresses of hosts named by strangers, by DNS. It does not use the system's resolver: those look-ups share two threads with the
 * look-ups for sending mail, and a host with a slow name server would block one of them for ten seconds.
 */
export class HostAddresses {
  private readonly systemLookups = new Slots(1);

  /**
   * With `asksSystemToo`, a name that DNS does not have is looked up by the system, one name at a time: it may be an internal name
   * (`/etc/hosts`, search domains). `servers` replaces the name servers of the machine.
   */
  constructor(
    private readonly asksSystemToo: boolean,
    private readonly servers?: string[],
  ) {}

  /** Resolves to an empty list if the host does not exist. Rejects if that cannot be determined, or when `signal` aborts. */
  async lookUp(host: string, signal: AbortSignal): Promise<string[]> {
    const { addresses, fault } = await this.queryDns(host, signal);
    if (addresses.length > 0) return addresses;
    signal.throwIfAborted();
    const ofSystem = this.asksSystemToo ? await this.querySystem(host, signal) : [];
    if (ofSystem.length === 0 && fault) throw fault;
    return ofSystem;
  }

  private async queryDns(host: string, signal: AbortSignal): Promise<{ addresses: string[]; fault?: Error }> {
    signal.throwIfAborted();
    const resolver = new Resolver(QUERY_OPTIONS);
    if (this.servers) resolver.setServers(this.servers);
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel);
    try {
      const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
      const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
      return { addresses, fault: answers.map(faultOf).find((fault) => fault !== undefined) };
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  /** A look-up by the system cannot be cancelled: after an abort its result is ignored. */
  private querySystem(host: string, signal: AbortSignal): Promise<string[]> {
    return new Promise((resolve, reject) => {
      const end = () => reject(signal.reason as Error);
      signal.addEventListener('abort', end);
      const found = this.systemLookups.run(() => lookup(host, { all: true }), signal);
      found
        .then(
          (all) => resolve(all.map(({ address }) => address)),
          () => resolve([]),
        )
        .finally(() => signal.removeEventListener('abort', end));
    });
  }
}

/** The error because of which the answer is not known; undefined if it is known, even if there is no address. */
function faultOf(answer: PromiseSettledResult<unknown>): Error | undefined {
  if (answer.status === 'fulfilled') return undefined;
  const fault = answer.reason as NodeJS.ErrnoException;
  return NO_ADDRESS_CODES.has(fault.code ?? '') ? undefined : fault;
}
