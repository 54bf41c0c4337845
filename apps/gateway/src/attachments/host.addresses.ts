import { lookup, Resolver } from 'node:dns/promises';
import { Slots } from '@lettermill/concurrency';

/** Of one question to one server, milliseconds; it is asked twice. */
const PATIENCE = { timeout: 2_000, tries: 2 };
/** What says that there is no such name, or none of that kind. */
const NONE = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/**
 * Finds the addresses of hosts that strangers name, by DNS. Not by the system: its look-ups share two threads of the process with those of
 * whoever sends mail, and a host with a slow name server would keep one of them for ten seconds.
 */
export class HostAddresses {
  private readonly bySystem = new Slots(1);

  /**
   * With `insiders`, what DNS does not tell is asked of the system, one at a time: names of its own (`/etc/hosts`, search domains) may be
   * meant. `servers` are asked in place of those of the machine.
   */
  constructor(
    private readonly insiders: boolean,
    private readonly servers?: string[],
  ) {}

  /** Empty where there is no such host. Rejects where nobody can tell, and when `signal` ends it. */
  async of(host: string, signal: AbortSignal): Promise<string[]> {
    const { addresses, fault } = await this.asked(host, signal);
    if (addresses.length > 0) return addresses;
    signal.throwIfAborted();
    const own = this.insiders ? await this.own(host, signal) : [];
    if (own.length === 0 && fault) throw fault;
    return own;
  }

  private async asked(host: string, signal: AbortSignal): Promise<{ addresses: string[]; fault?: Error }> {
    signal.throwIfAborted();
    const resolver = new Resolver(PATIENCE);
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

  /** A look-up by the system can't be called off: nobody waits for it any more. */
  private own(host: string, signal: AbortSignal): Promise<string[]> {
    return new Promise((resolve, reject) => {
      const end = () => reject(signal.reason as Error);
      signal.addEventListener('abort', end);
      const found = this.bySystem.run(() => (signal.aborted ? Promise.resolve([]) : lookup(host, { all: true })));
      found
        .then(
          (all) => resolve(all.map(({ address }) => address)),
          () => resolve([]),
        )
        .finally(() => signal.removeEventListener('abort', end));
    });
  }
}

/** Why it is not known; undefined where it is known, be it that there is none. */
function faultOf(answer: PromiseSettledResult<unknown>): Error | undefined {
  if (answer.status === 'fulfilled') return undefined;
  const fault = answer.reason as NodeJS.ErrnoException;
  return NONE.has(fault.code ?? '') ? undefined : fault;
}
