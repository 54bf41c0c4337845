import { spawnSync } from 'node:child_process';
import { crashRun, FAULTS_ON } from './crash.run';
import { SERIES, seriesRun } from './syscalls.run';
import type { Fault } from './verdict';

const say = (text: string) => void process.stdout.write(`${text}\n`);

function tell(what: string, accepted: number, faults: Fault[]): void {
  const count = (kind: string) => faults.filter((fault) => fault.kind === kind).length;
  for (const { kind, what: detail } of faults.slice(0, 50)) say(`  ${kind}: ${detail}`);
  const figures = `${count('lost')} lost, ${count('unexplained')} unexplained repeats, ${faults.length} faults in all`;
  say(`${what}, ${accepted} messages: ${figures}`);
}

/** `[kills] [messages]`: SIGKILL at random moments. */
async function kills(kills = 500, messages = 100_000): Promise<boolean> {
  const { faults, ...figures } = await crashRun({
    ...{ messages, kills, lifeMs: 2_200, lanes: 8, mix: FAULTS_ON, patienceMs: 120_000 },
    onKill: (done, traffic, server) => {
      if (done % 10 === 0) say(`${done} kills, ${traffic.accepted} accepted, ${server.taken} mails`);
    },
  });
  say(JSON.stringify(figures, undefined, 2));
  tell(`${figures.kills} kills`, figures.accepted, faults);
  return faults.length === 0;
}

/** `strace [stride] [lives] [word]`: dies, or its disk fails, at the 1st, (1 + stride)th, ... system call of each series. */
async function syscalls(stride = 3, lives = 20, word = ''): Promise<boolean> {
  if (spawnSync('strace', ['-V']).status !== 0) {
    say('strace is not installed: apt-get install strace');
    return false;
  }
  let good = true;
  for (const series of SERIES.filter(({ name }) => name.includes(word))) {
    const report = await seriesRun(series, { stride, lives, messages: 20 });
    const { faults, wrong, reached, last, exits } = report;
    tell(
      `${series.name}: ${series.fault} in ${reached} lives, up to call ${last} (${JSON.stringify(exits)})`,
      report.accepted,
      faults,
    );
    for (const what of wrong.slice(0, 20)) say(`  ${what}`);
    const kept = faults.length + wrong.length > 0;
    if (kept) say(`  the books: ${report.directory}`);
    good &&= !kept;
  }
  return good;
}

const [first, ...rest] = process.argv.slice(2);
const numbers = (words: (string | undefined)[]) => words.map((word) => (word ? Number(word) : undefined));
const run =
  first === 'strace'
    ? syscalls(...(numbers(rest.slice(0, 2)) as [number, number]), rest[2])
    : kills(...(numbers([first, rest[0]]) as [number, number]));
run.then(
  (good) => process.exit(good ? 0 : 1),
  (error: unknown) => {
    process.stderr.write(`${(error as Error).stack}\n`);
    process.exit(1);
  },
);
