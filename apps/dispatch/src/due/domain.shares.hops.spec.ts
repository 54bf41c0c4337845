import { DomainShares } from './domain.shares';

const START = 1_800_000_000_000;
const CONNECTIONS = 10;
/** Places that are for high priority alone. */
const FOR_URGENT = 2;
const MAIL_MS = 5;
const STEP_MS = 100;

interface Mail {
  domain: string;
  isUrgent: boolean;
  at: number;
  takesMs: number;
}

type Draw = () => number;
/** The domain of a mail, and how long it takes there. */
type Destination = (draw: Draw) => Pick<Mail, 'domain' | 'takesMs'>;

/** The same numbers from 0 to 1 in each run. */
function draws(): Draw {
  let state = 7;
  return () => (state = (state * 1_103_515_245 + 12_345) & 0x7fffffff) / 0x7fffffff;
}

/** A hop with a long backlog, to which urgent mail comes: each of its domains has a queue, and the domains take turns. */
class PlayedHop {
  private readonly shares: DomainShares;
  private readonly queues = { urgent: new Map<string, Mail[]>(), others: new Map<string, Mail[]>() };
  private running: (Mail & { begun: number })[] = [];
  private readonly draw = draws();
  private turn = 0;
  private now = START;
  /** Milliseconds that urgent mail waited which goes to a domain that answers. */
  readonly waits: number[] = [];
  sentOfBacklog = 0;

  /** It bears `most` connections in all. */
  constructor(
    private readonly destination: Destination,
    backlog: number,
    private readonly most = 2 * CONNECTIONS + FOR_URGENT,
  ) {
    const unlimited = { hopRate: null, domainRates: new Map(), domainConcurrency: new Map() };
    this.shares = new DomainShares({ connections: CONNECTIONS, ...unlimited });
    this.shares.share(Math.min(CONNECTIONS, most), Math.min(2 * CONNECTIONS, most));
    for (let n = 0; n < backlog; n += 1) this.queue(false);
  }

  play(ms: number, urgentEachMs: number): void {
    let next = this.now + urgentEachMs;
    for (const until = this.now + ms; this.now < until;) {
      this.now = Math.min(next, this.now + STEP_MS, ...this.running.map(({ begun, takesMs }) => begun + takesMs));
      for (; next <= this.now; next += urgentEachMs) this.queue(true);
      this.endAttempts();
      this.beginAttempts(this.queues.urgent, FOR_URGENT);
      this.beginAttempts(this.queues.others, 0);
    }
  }

  private queue(isUrgent: boolean): void {
    const mail = { ...this.destination(this.draw), isUrgent, at: this.now };
    const queues = isUrgent ? this.queues.urgent : this.queues.others;
    const waiting = queues.get(mail.domain);
    if (waiting) waiting.push(mail);
    else queues.set(mail.domain, [mail]);
  }

  private endAttempts(): void {
    const ended = this.running.filter(({ begun, takesMs }) => begun + takesMs <= this.now);
    this.running = this.running.filter((one) => !ended.includes(one));
    for (const { domain, begun, at, isUrgent, takesMs } of ended) {
      this.shares.leave(domain, begun, this.now, 'by itself', isUrgent);
      if (takesMs > MAIL_MS) continue;
      if (isUrgent) this.waits.push(begun - at);
      else this.sentOfBacklog += 1;
    }
  }

  private beginAttempts(queues: Map<string, Mail[]>, besides: number): void {
    for (let begun = true; begun;) {
      begun = false;
      const domains = [...queues.keys()];
      domains.push(...domains.splice(0, (this.turn += 1) % Math.max(1, domains.length)));
      for (const domain of domains) {
        const places = CONNECTIONS + Math.min(this.shares.stuckCount(this.now), CONNECTIONS) + besides;
        if (this.running.length >= Math.min(places, this.most)) return;
        const waiting = queues.get(domain)!;
        if (!this.shares.enter(domain, this.now, waiting[0]!.isUrgent)) continue;
        this.running.push({ ...waiting.shift()!, begun: this.now });
        if (waiting.length === 0) queues.delete(domain);
        begun = true;
      }
    }
  }
}

const medianOf = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

/** Played in virtual time. */
describe('what domains may use of a hop', () => {
  it('urgent mail passes a backlog of which a content filter holds up each tenth', () => {
    const hop = new PlayedHop(
      (draw) => ({ domain: `${Math.floor(draw() * 20)}.org`, takesMs: draw() < 0.1 ? 10_000 : MAIL_MS }),
      6_000,
    );
    hop.play(60_000, 500);
    expect(hop.waits.length).toBeGreaterThan(100);
    expect(medianOf(hop.waits)).toBeLessThan(100);
  });

  it('urgent mail of which a tenth goes to dead domains leaves their places to the backlog', () => {
    const hop = new PlayedHop((draw) => {
      const isDead = draw() < 0.1;
      const domain = isDead ? `dead${Math.floor(draw() * 30)}.org` : `${Math.floor(draw() * 200)}.org`;
      return { domain, takesMs: isDead ? 30_000 : MAIL_MS };
    }, 60_000);
    hop.play(90_000, 50);
    expect(medianOf(hop.waits)).toBeLessThan(100);
    // 2,000 a second is what ten connections can do.
    expect(hop.sentOfBacklog / 90).toBeGreaterThan(300);
  });

  it('mail to domains that hang for minutes stops no mail to those that answer, nor does the urgent one of it', () => {
    const hop = new PlayedHop((draw) => {
      const isDead = draw() < 0.3;
      const domain = isDead ? `dead${Math.floor(draw() * 100)}.org` : `${Math.floor(draw() * 3)}.org`;
      return { domain, takesMs: isDead ? 300_000 : MAIL_MS };
    }, 20_000);
    hop.play(30_000, 100);
    expect(hop.waits.length).toBeGreaterThan(200);
    expect(medianOf(hop.waits)).toBeLessThan(100);
    expect(hop.sentOfBacklog / 30).toBeGreaterThan(300);
  });

  // Until the first of those that hang end, all connections may hang.
  it.each([
    [8, 10, 30_000, 400],
    [3, 5, 30_000, 150],
  ])(
    'a hop of %i connections is not filled by %i domains once some hung for %i ms',
    (most, dead, hangMs, perSecond) => {
      const hop = new PlayedHop(
        (draw) => {
          const isDead = draw() < 0.1;
          const domain = isDead ? `dead${Math.floor(draw() * dead)}.org` : `${Math.floor(draw() * 20)}.org`;
          return { domain, takesMs: isDead ? hangMs : MAIL_MS };
        },
        120_000,
        most,
      );
      hop.play(90_000, 300);
      hop.waits.length = hop.sentOfBacklog = 0;
      hop.play(60_000, 300);
      expect(hop.waits.length).toBeGreaterThan(150);
      expect(medianOf(hop.waits)).toBeLessThan(100);
      expect(hop.sentOfBacklog / 60).toBeGreaterThan(perSecond);
    },
  );
});
