import { metricOnce } from '@lettermill/runtime';
import { Gauge, Histogram } from 'prom-client';
import type { Transaction } from '../smtp/smtp.transaction';

/** The pool's connections and what it knows of its hop at the moment. */
export interface PoolState {
  open: number;
  idle: number;
  /** Connections that the hop is assumed to bear. */
  window: number;
  /** False after no connection could be opened while none was open, until one is. */
  up: boolean;
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

const connections = metricOnce(Gauge<'hop' | 'state'>, {
  name: 'lettermill_dispatch_connections',
  help: 'Connections to the next hop, by state: busy or idle',
  labelNames: ['hop', 'state'],
});

const windows = metricOnce(Gauge<'hop'>, {
  name: 'lettermill_dispatch_connection_window',
  help: 'Connections that the next hop is assumed to handle, up to HOP_CONNECTIONS',
  labelNames: ['hop'],
});

const hopUp = metricOnce(Gauge<'hop'>, {
  name: 'lettermill_dispatch_hop_up',
  help: 'Whether the next hop accepted the last connection that was tried: 1 or 0',
  labelNames: ['hop'],
});

const stages = metricOnce(Histogram<'hop' | 'stage'>, {
  name: 'lettermill_dispatch_stage_seconds',
  help: 'Time of a stage of SMTP: connect (with TLS and login), envelope (MAIL to DATA), content (until it is answered)',
  labelNames: ['hop', 'stage'],
  buckets: SECONDS,
});

/** Makes the gauges read their values at each scrape: those of one pool, as a gauge has one `collect`. */
export function showConnections(pool: { nextHop: string; state(): PoolState }): void {
  const hop = pool.nextHop;
  Object.assign(connections, {
    collect: () => {
      const { open, idle } = pool.state();
      connections.set({ hop, state: 'busy' }, open - idle);
      connections.set({ hop, state: 'idle' }, idle);
    },
  });
  Object.assign(hopUp, { collect: () => hopUp.set({ hop }, pool.state().up ? 1 : 0) });
  Object.assign(windows, { collect: () => windows.set({ hop }, pool.state().window) });
}

/** Records how long the stages take at one hop. */
export type StageTimes = Record<'connect' | 'envelope' | 'content', (milliseconds: number) => void>;

export function stageTimes(hop: string): StageTimes {
  const of = (stage: keyof StageTimes) => {
    const child = stages.labels({ hop, stage });
    return (milliseconds: number) => child.observe(Math.max(milliseconds, 0) / 1000);
  };
  return { connect: of('connect'), envelope: of('envelope'), content: of('content') };
}

/** Records how long the stages of a transaction took that ended now. */
export function noteStages(stages: StageTimes, { begunAt, openedAt, aborted }: Transaction, now: number): void {
  if (aborted || begunAt === undefined) return;
  stages.envelope((openedAt ?? now) - begunAt);
  if (openedAt !== undefined) stages.content(now - openedAt);
}
