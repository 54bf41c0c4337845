import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Cluster, type ClusterOptions } from '../installations/cluster';
import { API_KEY, Lettermill } from '../installations/lettermill';
import { FAULTY_MIX, LedgerRun } from './crash.run';
import type { Traffic } from './traffic';
import type { Verdict } from './verdict';

/** A fault inflicted on a working cluster. `strike` resolves when what was killed has been started again. */
export interface Blow {
  name: string;
  strike(cluster: Cluster): Promise<void>;
}

export interface FaultOptions extends ClusterOptions {
  blows: Blow[];
  settings: { KAFKA_BROKERS: string; MONGODB_URI: string };
  /** Messages requested per second. */
  rate: number;
  patienceMs: number;
  onBlow?(report: BlowReport, traffic: Traffic): void;
}

export interface BlowReport {
  name: string;
  /** Milliseconds from the restart until a request made after it has its mail at the next hop, and its message is reported as sent. */
  backMs: number;
}

export interface FaultReport extends Verdict {
  blows: BlowReport[];
  seconds: number;
  directory: string;
}

const LANES = 6;
const POLL_INTERVAL_MS = 50;
const PAUSE_BETWEEN_BLOWS_MS = 1_000;
/** Time limit for the cluster to be back at work. */
const RECOVERY_TIMEOUT_MS = 180_000;

/** Inflicts faults on a cluster under load, with ledgers on both sides. */
export async function faultRun({ blows, settings, rate, patienceMs, ...options }: FaultOptions): Promise<FaultReport> {
  const began = Date.now();
  const run = await LedgerRun.create(
    { ...settings, BOOTSTRAP_API_KEY: API_KEY, LOG_LEVEL: 'warn' },
    async (environment) => new Lettermill(await Cluster.create(environment, options)),
  );
  const { lettermill } = run;
  const cluster = lettermill.installation as Cluster;
  const reports: BlowReport[] = [];
  let keep = true;
  let [traffic, sending]: [Traffic?, Promise<void>?] = [];
  try {
    await lettermill.start();
    await run.launch();
    const loadBegan = Date.now();
    const allowed = () => ((Date.now() - loadBegan) / 1000) * rate;
    traffic = run.traffic({ messages: Infinity, lanes: LANES, mix: FAULTY_MIX, allowed });
    sending = traffic.run();
    for (const blow of blows) {
      await pause(PAUSE_BETWEEN_BLOWS_MS);
      await blow.strike(cluster);
      const revived = Date.now();
      await waitForProbe(run, traffic, revived + RECOVERY_TIMEOUT_MS);
      const report = { name: blow.name, backMs: Date.now() - revived };
      reports.push(report);
      options.onBlow?.(report, traffic);
    }
    traffic.stopping = true;
    await sending;
    const verdict = await run.verdict(patienceMs);
    keep = verdict.faults.length > 0;
    const seconds = Math.round((Date.now() - began) / 1000);
    return { blows: reports, seconds, directory: run.directory, ...verdict };
  } finally {
    // Close the ledgers only when nobody writes to them any more, however the run ended.
    if (traffic) traffic.stopped = true;
    await lettermill.stop('SIGKILL');
    await sending?.catch(() => undefined);
    if (keep) await writeFile(join(run.directory, 'said.log'), cluster.output);
    await run.close(keep);
  }
}

async function waitForProbe({ server, lettermill }: LedgerRun, traffic: Traffic, deadline: number): Promise<void> {
  const probe = await traffic.sendProbe();
  const isReportedSent = async () => {
    const query = `/v2/messages?contact=${encodeURIComponent(probe)}`;
    const answer = await lettermill.call<{ data?: { state: string }[] }>('GET', query).catch(() => undefined);
    return answer?.body.data?.[0]?.state === 'sent';
  };
  while (!server.hasMailTo(probe) || !(await isReportedSent())) {
    if (Date.now() > deadline) throw new Error(`no mail to ${probe}: it does not go on by itself`);
    await pause(POLL_INTERVAL_MS);
  }
}
