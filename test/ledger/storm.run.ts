import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { SERVICES } from '@lettermill/config';
import { Cluster, type ClusterOptions } from '../installations/cluster';
import { API_KEY, Lettermill } from '../installations/lettermill';
import { FAULTY_MIX, LedgerRun } from './crash.run';
import type { HopTls } from './mail.tls';
import { randomStrike, type Strike, type Target } from './strikes';
import type { Traffic } from './traffic';
import type { Verdict } from './verdict';

export interface StormOptions extends Required<ClusterOptions> {
  settings: { KAFKA_BROKERS: string; MONGODB_URI: string };
  /** How many processes are struck, one after another in each lane. */
  strikes: number;
  /** How many may be away at the same time. */
  atOnce: number;
  /** How long a process may stand still; one of these, in milliseconds. */
  freezes: number[];
  /** Messages requested per second. */
  rate: number;
  patienceMs: number;
  tls?: HopTls['kind'];
  onStrike?(strike: string, traffic: Traffic): void;
}

export interface StormReport extends Verdict {
  /** How many were carried out. */
  strikes: number;
  /** How many messages were cancelled, retried or returned, or should have been. */
  orders: number;
  directory: string;
}

const LANES = 6;
const MAX_PAUSE_MS = 4_000;
/** A client that gets no answer in this time asks again, perhaps at another gateway, while the first one may go on. */
const CALL_TIMEOUT_MS = 5_000;

/**
 * Strikes processes of every service at random moments, several at the same time, while clients of all gateways send, cancel and retry,
 * and bounces come in.
 */
export async function stormRun(options: StormOptions): Promise<StormReport> {
  const { settings, strikes, atOnce, freezes, rate, patienceMs, tls, replicas } = options;
  const run = await LedgerRun.create(
    { ...settings, BOOTSTRAP_API_KEY: API_KEY, LOG_LEVEL: 'warn', RETURN_PATH: 'bounces.shop.example' },
    async (environment) => new Lettermill(await Cluster.create(environment, { replicas })),
    tls,
  );
  const cluster = run.lettermill.installation as Cluster;
  const targets = SERVICES.flatMap((service) =>
    Array.from({ length: replicas[service] ?? 1 }, (_, replica): Target => ({ service, replica })),
  );
  const orders = run.orders(() => anyGateway(cluster, replicas.gateway));
  let began = Date.now();
  const traffic = run.traffic(
    {
      messages: Infinity,
      lanes: LANES,
      mix: FAULTY_MIX,
      allowed: () => ((Date.now() - began) / 1000) * rate,
      onAccepted: (accepted) => orders.consider(accepted),
    },
    () => anyGateway(cluster, replicas.gateway),
  );
  let [keep, left, struck, sending]: [boolean, number, number, Promise<void>?] = [true, strikes, 0];
  const strikeOne = async () => {
    await pause(Math.random() * MAX_PAUSE_MS);
    const [target] = targets.splice(Math.floor(Math.random() * targets.length), 1);
    const strike: Strike = randomStrike(target!, freezes);
    options.onStrike?.(strike.name, traffic);
    await strike.carryOut(cluster);
    struck += 1;
    targets.push(target!);
  };
  try {
    await run.lettermill.start();
    await run.launch();
    began = Date.now();
    sending = traffic.run();
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        while ((left -= 1) >= 0) await strikeOne();
      }),
    );
    traffic.stopping = true;
    await sending;
    await orders.settled();
    const verdict = await run.verdict(patienceMs);
    keep = verdict.faults.length > 0;
    const given = (await run.entries()).filter(({ type }) => type === 'order').length;
    return { strikes: struck, orders: given, directory: run.directory, ...verdict };
  } finally {
    traffic.stopped = orders.stopped = true;
    await run.lettermill.stop('SIGKILL');
    await Promise.allSettled([sending, orders.settled()]);
    if (keep) await writeFile(join(run.directory, 'said.log'), cluster.output);
    await run.close(keep);
  }
}

function anyGateway(cluster: Cluster, gateways = 1): Lettermill {
  const lettermill = new Lettermill(cluster);
  lettermill.callTimeoutMs = CALL_TIMEOUT_MS;
  lettermill.url = cluster.url('gateway', Math.floor(Math.random() * gateways));
  return lettermill;
}
