/** At most this many domains get a name of their own because they are busy. */
const MAX_BUSY_DOMAINS = 50;
/** A domain is busy after this many attempts. */
const BUSY_AFTER_ATTEMPTS = 500;
/** At most this many domains are counted; the one seen longest ago is forgotten first. */
const MAX_COUNTED_DOMAINS = 2_000;
const OTHER_DOMAINS = 'other';

/**
 * The name of a recipient domain in metrics, which must not grow with the number of domains: its own name if the configuration names it or
 * it is one of the first that became busy in this process, else `other`. A name once given stays.
 */
export class DomainNames {
  private readonly named: Set<string>;
  private readonly maxNamed: number;
  private readonly counts = new Map<string, number>();

  constructor(configured: Iterable<string>) {
    this.named = new Set([...configured].filter((name) => name !== '*'));
    this.maxNamed = this.named.size + MAX_BUSY_DOMAINS;
  }

  /** Called once for each attempt. */
  of(domain: string): string {
    if (this.named.has(domain)) return domain;
    if (domain === '' || this.named.size >= this.maxNamed) return OTHER_DOMAINS;
    const count = (this.counts.get(domain) ?? 0) + 1;
    this.counts.delete(domain);
    if (count >= BUSY_AFTER_ATTEMPTS) this.named.add(domain);
    else this.counts.set(domain, count);
    if (this.counts.size > MAX_COUNTED_DOMAINS) this.counts.delete(this.counts.keys().next().value!);
    if (this.named.size >= this.maxNamed) this.counts.clear();
    return count >= BUSY_AFTER_ATTEMPTS ? domain : OTHER_DOMAINS;
  }
}
