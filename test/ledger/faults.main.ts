import { setTimeout as pause } from 'node:timers/promises';
import { SERVICES, type ServiceName } from '@lettermill/config';
import type { ClusterOptions } from '../installations/cluster';
import { Stack } from '../installations/stack';
import { appendRun } from './append.run';
import { faultRun, type Blow, type FaultReport } from './fault.run';
import type { HopTls } from './mail.tls';
import { stormRun } from './storm.run';
import type { Verdict } from './verdict';

const RATE = Number(process.env.FAULTS_RATE ?? 40);
const SETTLE_TIMEOUT_MS = 180_000;
const DOWNTIME_MS = 2_000;
/** Time within which the cluster must be back at work (docs/operating.md). */
const MAX_RECOVERY_MS = 30_000;

/** Longer than a consumer group waits for a member, than a lease lasts, and than a server's silence is tolerated (15, 60 and 30 s). */
const FREEZE_MS = { member: 25_000, lease: 80_000, server: 40_000 };

/** Alive all the time, but with a fifth of the processor, a short while at a time. */
const SLOWED = { forMs: 40_000, stoppedMs: 400, runningMs: 100 };

const TWO_OF_EACH = Object.fromEntries(SERVICES.map((service) => [service, 2]));

const print = (text: string) => process.stdout.write(`${text}\n`);

function repeat(count: number, blows: Blow[]): Blow[] {
  return Array.from({ length: count }, () => blows).flat();
}

function killService(name: ServiceName, replica = 0): Blow {
  return {
    name: replica === 0 ? `${name} killed` : `${name} killed, replica ${replica + 1}`,
    strike: async (cluster) => {
      await cluster.stopOne(name, 'SIGKILL', replica);
      cluster.startOne(name, replica);
    },
  };
}

function killServer(stack: Stack, name: string): Blow {
  return {
    name: `${name} killed`,
    strike: async () => {
      await stack.kill(name);
      await pause(DOWNTIME_MS);
      await stack.revive(name);
    },
  };
}

function freezeService(name: ServiceName, ms: number, replica = 0): Blow {
  const which = replica === 0 ? name : `${name}, replica ${replica + 1},`;
  return {
    name: `${which} frozen for ${ms / 1000} s`,
    strike: (cluster) => cluster.freezeOne(name, ms, replica),
  };
}

function slowService(name: ServiceName, replica: number): Blow {
  const { forMs, stoppedMs, runningMs } = SLOWED;
  return {
    name: `${name}, replica ${replica + 1}, slow for ${forMs / 1000} s`,
    strike: async (cluster) => {
      for (const end = Date.now() + forMs; Date.now() < end; await pause(runningMs))
        await cluster.freezeOne(name, stoppedMs, replica);
    },
  };
}

function freezeServer(stack: Stack, name: string, ms: number): Blow {
  return { name: `${name} frozen for ${ms / 1000} s`, strike: () => stack.freeze(name, ms) };
}

/** Kills several brokers at the same time, and starts them in this order: fewer are left than must have a record. */
function killTogether(stack: Stack, names: string[]): Blow {
  return {
    name: `${names.join(' and ')} killed`,
    strike: async () => {
      await Promise.all(names.map((name) => stack.kill(name)));
      await pause(DOWNTIME_MS);
      // None waits for the one before: a broker opens its port only when two of three are there.
      await Promise.all(names.map((name, index) => pause(index * DOWNTIME_MS).then(() => stack.revive(name))));
    },
  };
}

/** Stops everything in order, one after another, and starts it again. */
function rollingRestart(stack: Stack): Blow {
  return {
    name: 'rolling restart of everything',
    strike: async (cluster) => {
      for (const name of SERVICES) {
        const code = await cluster.restart(name, 'SIGTERM');
        if (code !== 0) throw new Error(`${name} ended with ${code} on SIGTERM`);
      }
      const brokers = Array.from({ length: stack.brokers }, (_, index) => `kafka-${index + 1}`);
      for (const name of [...brokers, 'mongo']) await stack.restart(name);
    },
  };
}

async function runUnderBlows(
  name: string,
  stack: Stack,
  blows: Blow[],
  options: ClusterOptions = {},
): Promise<boolean> {
  print(`# ${name}`);
  const report = await faultRun({
    ...options,
    blows,
    settings: await stack.settings(),
    rate: RATE,
    patienceMs: SETTLE_TIMEOUT_MS,
    onBlow: ({ name: blow, backMs }, { accepted }) =>
      print(`${blow}: back after ${(backMs / 1000).toFixed(1)} s, ${accepted} accepted so far`),
  });
  return printReport(name, report);
}

/** Two processes of every service, struck at random, several at the same time. */
async function runUnderStorm(name: string, stack: Stack, strikes: number, tls?: HopTls['kind']): Promise<boolean> {
  print(`# ${name}`);
  const { directory, ...report } = await stormRun({
    replicas: TWO_OF_EACH,
    strikes: Math.ceil(strikes),
    atOnce: 3,
    freezes: [1_000, FREEZE_MS.member, FREEZE_MS.lease],
    settings: await stack.settings(),
    rate: RATE,
    patienceMs: SETTLE_TIMEOUT_MS,
    tls,
    onStrike: (strike, { accepted }) => print(`${strike}, ${accepted} accepted so far`),
  });
  printVerdict(report, directory);
  print(`${name}: ${report.strikes} strikes, ${summary(report)}`);
  return report.faults.length === 0;
}

function printVerdict({ faults, ...figures }: Verdict, directory: string): void {
  print(JSON.stringify(figures));
  for (const { kind, what } of faults.slice(0, 50)) print(`${kind}: ${what}`);
  if (faults.length > 0) print(`the books are in ${directory}`);
}

function summary({ accepted, repeats, unknownAttempts, faults }: Verdict): string {
  const count = (kind: string) => faults.filter((fault) => fault.kind === kind).length;
  return (
    `${accepted} messages, ${count('lost')} lost, ${repeats} repeats explained by ${unknownAttempts} attempts of unknown outcome, ` +
    `${count('unexplained')} unexplained, ${faults.length} faults in all`
  );
}

function printReport(name: string, { blows, directory, ...report }: FaultReport): boolean {
  printVerdict(report, directory);
  const slowest = Math.max(...blows.map(({ backMs }) => backMs));
  print(
    `${name}: ${blows.length} blows, ${summary(report)}; back at work after ${(slowest / 1000).toFixed(1)} s at most`,
  );
  return report.faults.length === 0 && slowest <= MAX_RECOVERY_MS;
}

const PARTS: Record<string, (scale: number) => Promise<boolean>> = {
  services: (scale) =>
    withStack(1, (stack) =>
      runUnderBlows(
        'services killed',
        stack,
        repeat(
          10 * scale,
          SERVICES.map((name) => killService(name)),
        ),
      ),
    ),
  replicas: (scale) =>
    withStack(1, (stack) => {
      const [one, other] = [killService('dispatch'), killService('dispatch', 1)];
      return runUnderBlows('two dispatch processes, killed by turns', stack, repeat(5 * scale, [one, other]), {
        replicas: { dispatch: 2 },
      });
    }),
  servers: (scale) =>
    withStack(1, (stack) => {
      const [kafka, mongo] = [killServer(stack, 'kafka'), killServer(stack, 'mongo')];
      return runUnderBlows('broker and database killed', stack, [
        ...repeat(5 * scale, [kafka, mongo]),
        rollingRestart(stack),
      ]);
    }),
  leaders: (scale) =>
    withStack(3, (stack) => {
      const brokers = [1, 2, 3].map((number) => killServer(stack, `kafka-${number}`));
      return runUnderBlows('three brokers, each killed in turn', stack, [
        ...repeat(scale, brokers),
        rollingRestart(stack),
      ]);
    }),
  quorum: (scale) =>
    withStack(3, (stack) => {
      const broker = (number: number) => `kafka-${number}`;
      const frozen = [1, 2, 3].map((number) => freezeServer(stack, broker(number), FREEZE_MS.server));
      const killed = [
        [1, 2],
        [2, 3],
        [3, 1, 2],
      ].map((some) => killTogether(stack, some.map(broker)));
      return runUnderBlows(
        'three brokers, frozen, and killed together',
        stack,
        repeat(Math.ceil(scale), [...frozen, ...killed]),
        {
          replicas: TWO_OF_EACH,
        },
      );
    }),
  frozen: (scale) =>
    withStack(1, (stack) => {
      const services = SERVICES.map((name) => freezeService(name, FREEZE_MS.member));
      const senders = [freezeService('dispatch', FREEZE_MS.lease), freezeService('dispatch', FREEZE_MS.lease, 1)];
      const servers = [freezeServer(stack, 'kafka', FREEZE_MS.server), freezeServer(stack, 'mongo', FREEZE_MS.server)];
      const blows = repeat(2 * scale, [...services, ...senders, ...servers]);
      return runUnderBlows('services and servers frozen', stack, blows, { replicas: { dispatch: 2 } });
    }),
  slow: (scale) =>
    withStack(1, (stack) => {
      const blows = SERVICES.flatMap((name) => [slowService(name, 0), slowService(name, 1)]);
      return runUnderBlows('one of two processes slow', stack, repeat(Math.ceil(scale), blows), {
        replicas: TWO_OF_EACH,
      });
    }),
  storm: (scale) => withStack(1, (stack) => runUnderStorm('two of each service, struck at random', stack, 60 * scale)),
  starttls: (scale) =>
    withStack(1, (stack) => runUnderStorm('a next hop with STARTTLS', stack, 30 * scale, 'starttls')),
  tls: (scale) => withStack(1, (stack) => runUnderStorm('a next hop with TLS', stack, 30 * scale, 'implicit')),
  appends: (scale) =>
    withStack(1, async (stack) => {
      const report = await appendRun(stack, { rounds: 1_000 * scale, callers: 20, kills: 5 });
      print(`appends: ${JSON.stringify(report)}`);
      return report.lost + report.unasked + report.disordered === 0;
    }),
};

async function withStack(brokers: 1 | 3, work: (stack: Stack) => Promise<boolean>): Promise<boolean> {
  const stack = await Stack.start({ brokers });
  try {
    return await work(stack);
  } finally {
    await stack.destroy();
  }
}

/** `npm run test:faults -- [scale] [part]…`: 1 is the full length, 0.1 a tenth of it. Resolves to the number of parts that failed. */
async function main([scale = '1', ...wanted]: string[]): Promise<number> {
  const unknown = wanted.filter((name) => !Object.hasOwn(PARTS, name));
  if (!(Number(scale) > 0) || unknown.length > 0) {
    print(`usage: npm run test:faults -- [scale] [part]…; the parts are ${Object.keys(PARTS).join(', ')}`);
    return 1;
  }
  let failed = 0;
  for (const [name, part] of Object.entries(PARTS)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    if (!(await part(Number(scale)))) failed += 1;
  }
  return failed;
}

void main(process.argv.slice(2)).then(
  (failed) => process.exit(failed === 0 ? 0 : 1),
  (error: unknown) => {
    process.stderr.write(`${(error as Error).stack}\n`);
    process.exit(1);
  },
);
