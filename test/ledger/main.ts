import { spawnSync } from 'node:child_process';
import { crashRun, FAULTY_MIX } from './crash.run';
import { SERIES, seriesRun } from './syscalls.run';
import type { Fault } from './verdict';

const print = (text: string) => void process.stdout.write(`${text}\n`);

function printVerdict(what: string, accepted: number, faults: Fault[]): void {
  const count = (kind: string) => faults.filter((fault) => fault.kind === kind).length;
  for (const { kind, what: detail } of faults.slice(0, 50)) print(`  ${kind}: ${detail}`);
  const figures = `${count('lost')} lost, ${count('unexplained')} unexplained repeats, ${faults.length} faults in all`;
  print(`${what}, ${accepted} messages: ${figures}`);
}

/** `[kills] [messages] [at once]`: kills several processes in parallel at random moments. When interrupted, it settles what was begun. */
async function runKills(kills = 500, messages = 100_000, atOnce = 1): Promise<boolean> {
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  const counts = Array.from({ length: atOnce }, () => [0, 0, 0]);
  const share = { messages: Math.ceil(messages / atOnce), kills: Math.ceil(kills / atOnce) };
  const runs = counts.map((count) =>
    crashRun({
      ...share,
      lifeMs: 2_200,
      lanes: 8,
      mix: FAULTY_MIX,
      patienceMs: 120_000,
      signal: interrupted.signal,
      onKill: (done, traffic, server) => {
        count.splice(0, 3, done, traffic.accepted, server.acceptedCopies);
        const [all, accepted, mails] = [0, 1, 2].map((what) => counts.reduce((sum, one) => sum + one[what]!, 0));
        if (all! % 10 === 0) print(`${all} kills, ${accepted} accepted, ${mails} mails`);
      },
    }),
  );
  const reports = await Promise.all(runs);
  for (const { faults: _, ...figures } of reports) print(JSON.stringify(figures, undefined, 2));
  const sum = (what: 'kills' | 'accepted' | 'copies' | 'repeats') => reports.reduce((all, one) => all + one[what], 0);
  const faults = reports.flatMap((report) => report.faults);
  printVerdict(`${sum('kills')} kills, ${sum('copies')} mails, ${sum('repeats')} repeats`, sum('accepted'), faults);
  return faults.length === 0;
}

/** `strace [stride] [lives] [series]`: the process dies, or its disk fails, at the 1st, (1 + stride)th, ... system call of each series. */
async function runSyscallSeries(stride = 3, lives = 20, wanted = ''): Promise<boolean> {
  if (spawnSync('strace', ['-V']).status !== 0) {
    print('strace is not installed: apt-get install strace');
    return false;
  }
  let allGood = true;
  for (const series of SERIES.filter(({ name }) => wanted === '' || name === wanted)) {
    const report = await seriesRun(series, { stride, lives, messages: 20 });
    const { faults, wrong, reached, last, exits } = report;
    printVerdict(
      `${series.name}: ${series.fault} in ${reached} lives, up to call ${last} (${JSON.stringify(exits)})`,
      report.accepted,
      faults,
    );
    for (const what of wrong.slice(0, 20)) print(`  ${what}`);
    const isWrong = faults.length + wrong.length > 0;
    if (isWrong) print(`  the books: ${report.directory}`);
    allGood &&= !isWrong;
  }
  return allGood;
}

const [first, ...rest] = process.argv.slice(2);
const numbers = (words: (string | undefined)[]) => words.map((word) => (word ? Number(word) : undefined));
const run =
  first === 'strace'
    ? runSyscallSeries(...(numbers(rest.slice(0, 2)) as [number, number]), rest[2])
    : runKills(...(numbers([first, rest[0], rest[1]]) as [number, number, number]));
run.then(
  (good) => process.exit(good ? 0 : 1),
  (error: unknown) => {
    process.stderr.write(`${(error as Error).stack}\n`);
    process.exit(1);
  },
);
