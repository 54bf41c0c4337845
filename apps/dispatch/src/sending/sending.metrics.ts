import { AttemptOutcome } from '@lettermill/events';
import { metricOnce } from '@lettermill/runtime';
import { Counter, Gauge, Histogram } from 'prom-client';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
/** The depth of the queue is counted up to here, so that a scrape stays cheap. */
export const MAX_COUNTED_DEPTH = 1_000_000;

const attemptsEnded = metricOnce(Counter<'hop' | 'outcome'>, {
  name: 'lettermill_dispatch_attempts_total',
  help: 'SMTP attempts that ended, by next hop and outcome',
  labelNames: ['hop', 'outcome'],
});

const domainAttempts = metricOnce(Counter<'domain' | 'outcome'>, {
  name: 'lettermill_dispatch_domain_attempts_total',
  help: 'SMTP attempts that ended, by recipient domain (the busiest ones; all others are «other») and outcome',
  labelNames: ['domain', 'outcome'],
});

const attemptSeconds = metricOnce(Histogram, {
  name: 'lettermill_dispatch_attempt_seconds',
  help: 'Time from the start of an SMTP attempt to its outcome',
  buckets: SECONDS,
});

const claims = metricOnce(Counter<'result'>, {
  name: 'lettermill_dispatch_claims_total',
  help: 'Deliveries claimed to be sent, by result: won, or lost to another replica or a cancellation',
  labelNames: ['result'],
});

const sentSeconds = metricOnce(Histogram, {
  name: 'lettermill_message_sent_seconds',
  help: 'Time from the acceptance of a message until the next hop answered 250, retries included',
  buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200, 28_800, 86_400, 172_800],
});

const unreadable = metricOnce(Counter, {
  name: 'lettermill_dispatch_unreadable_total',
  help: 'Deliveries given back because the content of their mail could not be read for now; that is no attempt',
});

const running = metricOnce(Gauge, {
  name: 'lettermill_dispatch_attempts_running',
  help: 'Deliveries being sent now, and those claimed to be sent next',
});

const depth = metricOnce(Gauge, {
  name: 'lettermill_dispatch_waiting',
  help: `Deliveries waiting to be sent, counted up to ${MAX_COUNTED_DEPTH}`,
});

const overdue = metricOnce(Gauge, {
  name: 'lettermill_dispatch_overdue_seconds',
  help: 'Time since the delivery that waits longest became due; 0 if none is due',
});

const learnedRate = metricOnce(Gauge, {
  name: 'lettermill_dispatch_learned_rate',
  help: 'Attempts a second that the next hop gets while it throttles or can take nothing; +Inf if it takes all',
});

/** What the gauges read at each scrape. */
export interface Gauges {
  running(): number;
  waiting(): Promise<number>;
  overdueMs(): Promise<number>;
  learnedRate(): number | undefined;
}

/** Makes the gauges read their values at each scrape. */
export function bindGauges(read: Gauges): void {
  Object.assign(running, { collect: () => running.set(read.running()) });
  Object.assign(depth, { collect: async () => depth.set(await read.waiting().catch(() => Number.NaN)) });
  Object.assign(learnedRate, { collect: () => learnedRate.set(read.learnedRate() ?? Infinity) });
  Object.assign(overdue, { collect: async () => overdue.set((await read.overdueMs().catch(() => Number.NaN)) / 1000) });
}

/** Clocks of two machines may differ by more than a message takes: a negative time counts as 0. */
export function observeSent(milliseconds: number): void {
  sentSeconds.observe(Math.max(milliseconds, 0) / 1000);
}

/** Every outcome begins at 0, so that the first mail shows as an increase. */
export function attemptsFromZero(hop: string): void {
  for (const { const: outcome } of AttemptOutcome.anyOf) attemptsEnded.inc({ hop, outcome }, 0);
}

/** `domain` is a name of `DomainNames`; `milliseconds` is undefined if nobody knows how long the attempt took. */
export function countAttempt(
  { hop, domain, outcome }: { hop: string; domain: string; outcome: AttemptOutcome },
  milliseconds: number | undefined,
): void {
  attemptsEnded.inc({ hop, outcome });
  domainAttempts.inc({ domain, outcome });
  if (milliseconds !== undefined) attemptSeconds.observe(Math.max(milliseconds, 0) / 1000);
}

export function countUnreadable(): void {
  unreadable.inc();
}

export function countClaims(won: number, lost: number): void {
  claims.inc({ result: 'won' }, won);
  claims.inc({ result: 'lost' }, lost);
}
