import { crashRun, FAULTS_ON } from './crash.run';

async function crash(kills = 500, messages = 100_000): Promise<number> {
  const report = await crashRun({
    ...{ messages, kills, lifeMs: 2_500, lanes: 8, mix: FAULTS_ON, patienceMs: 120_000 },
    onKill: (done, traffic, server) => {
      if (done % 10 !== 0) return;
      process.stdout.write(`${done} kills, ${traffic.accepted} accepted, ${server.taken} mails\n`);
    },
  });
  const { faults, ...figures } = report;
  process.stdout.write(`${JSON.stringify(figures, undefined, 2)}\n`);
  for (const { kind, what } of faults.slice(0, 50)) process.stdout.write(`${kind}: ${what}\n`);
  const count = (kind: string) => faults.filter((fault) => fault.kind === kind).length;
  process.stdout.write(
    `${report.kills} kills, ${report.accepted} messages: ${count('lost')} lost, ${count('unexplained')} unexplained repeats, ` +
      `${faults.length} faults in all\n`,
  );
  return faults.length === 0 ? 0 : 1;
}

const [kills, messages] = process.argv.slice(2).map(Number);
void crash(kills, messages).then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${(error as Error).stack}\n`);
    process.exit(1);
  },
);
