import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ALL_TOPICS } from '../../libs/events/src';
import type { AnswerEntry } from './entries';
import { FAULTY_MIX, LedgerRun } from './crash.run';
import type { Traffic } from './traffic';
import type { Verdict } from './verdict';

/** System calls at which a fault is injected, and the files that they concern: `log`, `database`, or the main thread's sockets. */
export interface Series {
  name: string;
  calls: string;
  on: 'log' | 'database' | 'sockets';
  /** KILL, or an errno that the call fails with. */
  fault: 'KILL' | 'EIO' | 'ENOSPC';
  /** The process must end by itself, with a code that is not 0: nothing may be acknowledged after a failed sync. */
  fatal?: boolean;
}

const WRITES = 'write,writev,pwrite64,pwritev,pwritev2';
const SYNCS = 'fsync,fdatasync';

export const SERIES: Series[] = [
  { name: 'log writes', calls: WRITES, on: 'log', fault: 'KILL' },
  { name: 'log syncs', calls: SYNCS, on: 'log', fault: 'KILL' },
  { name: 'database writes', calls: WRITES, on: 'database', fault: 'KILL' },
  { name: 'database syncs', calls: SYNCS, on: 'database', fault: 'KILL' },
  { name: 'sends', calls: 'write,writev,sendto,sendmsg', on: 'sockets', fault: 'KILL' },
  { name: 'log syncs fail', calls: SYNCS, on: 'log', fault: 'EIO', fatal: true },
  { name: 'log syncs find no space', calls: SYNCS, on: 'log', fault: 'ENOSPC', fatal: true },
  { name: 'log writes fail', calls: WRITES, on: 'log', fault: 'EIO', fatal: true },
  { name: 'log writes find no space', calls: WRITES, on: 'log', fault: 'ENOSPC' },
  { name: 'database syncs fail', calls: SYNCS, on: 'database', fault: 'EIO', fatal: true },
  { name: 'database syncs find no space', calls: SYNCS, on: 'database', fault: 'ENOSPC', fatal: true },
  { name: 'database writes fail', calls: WRITES, on: 'database', fault: 'EIO', fatal: true },
  { name: 'database writes find no space', calls: WRITES, on: 'database', fault: 'ENOSPC' },
];

export interface SeriesOptions {
  /** The fault comes at the first call, in later lives each time at so many calls more. */
  stride: number;
  /** Most lives; the series ends earlier if a life does not reach its call. */
  lives: number;
  /** Messages that are accepted in each life, if it lasts long enough. */
  messages: number;
}

export interface SeriesReport extends Verdict {
  name: string;
  /** Lives in which the call was reached, and the number of the last such call. */
  reached: number;
  last: number;
  exits: Record<string, number>;
  /** Violations: a process that goes on, or acknowledges something, after its disk failed. */
  wrong: string[];
  directory: string;
}

const MAX_LIFE_MS = 120_000;

/**
 * Runs the process again and again on the same data, under strace. In its first life the fault comes at the first such call, in the next
 * at a later one, and so on until a life ends before its call. Then the process starts without strace, and the ledgers are compared.
 */
export async function seriesRun(series: Series, options: SeriesOptions): Promise<SeriesReport> {
  // One thread for files, because strace counts calls per thread.
  const run = await LedgerRun.create({ UV_THREADPOOL_SIZE: '1' });
  const [exits, wrong]: [Record<string, number>, string[]] = [{}, []];
  let [reached, last, keep] = [0, 0, true];
  let allowed = 0;
  const traffic = run.traffic({ messages: Infinity, lanes: 4, mix: FAULTY_MIX, allowed: () => allowed });
  const sending = traffic.run();
  try {
    for (let life = 0; life < options.lives; life += 1) {
      const when = 1 + life * options.stride;
      const trace = join(run.directory, 'trace');
      const command = await straceCommand(series, when, trace, run.lettermill.dataDir);
      const ending = await runOneLife(run, command, traffic, options.messages, () => {
        allowed = traffic.requested + options.messages;
      });
      const faultAt = series.fault === 'KILL' ? undefined : await readInjectionTime(trace);
      exits[ending] = (exits[ending] ?? 0) + 1;
      if (faultAt === undefined && ending !== 'killed') break;
      [reached, last] = [reached + 1, when];
      wrong.push(
        ...(await findViolations(series, run, faultAt ?? 0, ending)).map((what) => `${series.name}, ${when}: ${what}`),
      );
    }
    allowed = 0;
    await run.lettermill.start();
    await run.launch();
    traffic.stopping = true;
    await sending;
    const verdict = await run.verdict(30_000);
    keep = verdict.faults.length + wrong.length > 0;
    return { name: series.name, reached, last, exits, wrong, directory: run.directory, ...verdict };
  } finally {
    traffic.stopped = true;
    await run.close(keep);
  }
}

/** Runs until the process ends by itself, or has done its work; resolves to how it ended. `onLaunched`: there is a campaign to send. */
async function runOneLife(
  run: LedgerRun,
  command: string[],
  traffic: Traffic,
  messages: number,
  onLaunched: () => void,
): Promise<string> {
  const { lettermill } = run;
  const acceptedBefore = traffic.accepted;
  let ended: string | undefined;
  const starting = lettermill.start(command).then(
    () => run.launch().then(onLaunched, () => undefined),
    () => undefined,
  );
  void lettermill.ended.then((code) => (ended = code === null ? 'killed' : `exit ${code}`));
  const worked = () => traffic.accepted >= acceptedBefore + messages;
  for (const end = Date.now() + MAX_LIFE_MS; !ended && !worked() && Date.now() < end;) await pause(50);
  // Let it send what it has accepted, too.
  for (const end = Date.now() + 2_000; !ended && Date.now() < end;) await pause(50);
  const ending = ended ?? 'lives';
  await lettermill.stop('SIGKILL');
  await starting;
  return ending;
}

async function straceCommand(
  { calls, on, fault }: Series,
  when: number,
  trace: string,
  dataDir: string,
): Promise<string[]> {
  const action = fault === 'KILL' ? 'signal=KILL' : `error=${fault}`;
  return [
    'strace',
    '-qqq',
    '-ttt',
    '-y',
    '-o',
    trace,
    '-e',
    `trace=${calls}`,
    '-e',
    'signal=none',
    '-e',
    `inject=${calls}:${action}:when=${when}`,
    // Only the main thread uses sockets; other threads use files.
    ...(on === 'sockets' ? [] : ['-f', ...(await tracedFiles(on, dataDir)).flatMap((path) => ['-P', path])]),
    process.execPath,
    'dist/apps/standalone/src/main.js',
  ];
}

async function tracedFiles(on: 'log' | 'database', dataDir: string): Promise<string[]> {
  if (on === 'database') return ['', '-wal', '-journal', '-shm'].map((end) => join(dataDir, `lettermill.db${end}`));
  const log = join(dataDir, 'log');
  const found = await readdir(log, { recursive: true }).catch(() => []);
  const first = '0000000000000001.seg';
  const known = ALL_TOPICS.flatMap((topic) => ['', first, `${first}.tmp`].map((name) => join('topics', topic, name)));
  const names = [...found, ...known, 'positions.seg', 'positions.seg.tmp', 'topics', ''];
  return [...new Set(names.filter((name) => !name.startsWith('lock')).map((name) => join(log, name)))];
}

/** When the fault was injected; undefined if the process did not get that far. */
async function readInjectionTime(trace: string): Promise<number | undefined> {
  const text = await readFile(trace, 'utf8');
  const line = text.split('\n').find((one) => one.includes('(INJECTED)'));
  const seconds = /(\d{9,}\.\d+)/.exec(line ?? '')?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

async function findViolations({ fatal }: Series, run: LedgerRun, faultAt: number, ending: string): Promise<string[]> {
  if (!fatal) return [];
  const answers = (await run.entries()).filter((entry): entry is AnswerEntry => entry.type === 'answer');
  const late = answers.filter(({ status, begun }) => status === 202 && begun > faultAt);
  return [
    ...(/^exit [1-9]/.test(ending) ? [] : [`the process goes on (${ending})`]),
    ...late.map(
      ({ request }) => `request ${request} was accepted ${Math.round(late[0]!.begun - faultAt)} ms after the fault`,
    ),
  ];
}
