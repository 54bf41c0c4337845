import { setTimeout as pause } from 'node:timers/promises';
import { SERVICES, type ClusterOptions, type Service } from '../installations/cluster';
import { Stack } from '../installations/stack';
import { appendRun } from './append.run';
import { faultRun, type Blow, type FaultReport } from './fault.run';

const RATE = Number(process.env.FAULTS_RATE ?? 40);
const PATIENCE_MS = 180_000;
const DOWN_MS = 2_000;
/** Time within which the cluster must be back at work (docs/operating.md). */
const BACK_WITHIN_MS = 30_000;

/** Longer than a consumer group waits for a member, than a lease lasts, and than a server's silence is tolerated (15, 60 and 30 s). */
const FROZEN_MS = { member: 25_000, lease: 80_000, server: 40_000 };

const say = (text: string) => process.stdout.write(`${text}\n`);

function times(count: number, blows: Blow[]): Blow[] {
  return Array.from({ length: count }, () => blows).flat();
}

function killService(name: Service, replica = 0): Blow {
  return {
    name: replica === 0 ? `${name} killed` : `${name} killed, replica ${replica + 1}`,
    strike: async (cluster) => {
      await cluster.stopOne(name, 'SIGKILL', replica);
      cluster.runOne(name, replica);
    },
  };
}

function killServer(stack: Stack, name: string): Blow {
  return {
    name: `${name} killed`,
    strike: async () => {
      await stack.kill(name);
      await pause(DOWN_MS);
      await stack.revive(name);
    },
  };
}

function freezeService(name: Service, ms: number, replica = 0): Blow {
  const which = replica === 0 ? name : `${name}, replica ${replica + 1},`;
  return {
    name: `${which} frozen for ${ms / 1000} s`,
    strike: (cluster) => cluster.freezeOne(name, ms, replica),
  };
}

function freezeServer(stack: Stack, name: string, ms: number): Blow {
  return { name: `${name} frozen for ${ms / 1000} s`, strike: () => stack.freeze(name, ms) };
}

/** Stops everything in order, one after another, and starts it again. */
function rolling(stack: Stack): Blow {
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

async function under(name: string, stack: Stack, blows: Blow[], options: ClusterOptions = {}): Promise<boolean> {
  say(`# ${name}`);
  const report = await faultRun({
    ...{ ...options, blows, settings: await stack.settings(), rate: RATE, patienceMs: PATIENCE_MS },
    onBlow: ({ name: blow, backMs }, { accepted }) =>
      say(`${blow}: back after ${(backMs / 1000).toFixed(1)} s, ${accepted} accepted so far`),
  });
  return tell(name, report);
}

function tell(name: string, { blows, faults, directory, ...figures }: FaultReport): boolean {
  say(JSON.stringify(figures));
  for (const { kind, what } of faults.slice(0, 50)) say(`${kind}: ${what}`);
  if (faults.length > 0) say(`the books are in ${directory}`);
  const count = (kind: string) => faults.filter((fault) => fault.kind === kind).length;
  const slowest = Math.max(...blows.map(({ backMs }) => backMs));
  say(
    `${name}: ${blows.length} blows, ${figures.accepted} messages, ${count('lost')} lost, ${figures.repeats} repeats explained by ` +
      `${figures.unknownAttempts} attempts of unknown outcome, ${count('unexplained')} unexplained, ${faults.length} faults in all; ` +
      `back at work after ${(slowest / 1000).toFixed(1)} s at most`,
  );
  return faults.length === 0 && slowest <= BACK_WITHIN_MS;
}

const PARTS: Record<string, (scale: number) => Promise<boolean>> = {
  services: (scale) =>
    on(1, (stack) =>
      under(
        'services killed',
        stack,
        times(
          10 * scale,
          SERVICES.map((name) => killService(name)),
        ),
      ),
    ),
  replicas: (scale) =>
    on(1, (stack) => {
      const [one, other] = [killService('dispatch'), killService('dispatch', 1)];
      return under('two dispatch processes, killed by turns', stack, times(5 * scale, [one, other]), {
        replicas: { dispatch: 2 },
      });
    }),
  servers: (scale) =>
    on(1, (stack) => {
      const [kafka, mongo] = [killServer(stack, 'kafka'), killServer(stack, 'mongo')];
      return under('broker and database killed', stack, [...times(5 * scale, [kafka, mongo]), rolling(stack)]);
    }),
  leaders: (scale) =>
    on(3, (stack) => {
      const brokers = [1, 2, 3].map((number) => killServer(stack, `kafka-${number}`));
      return under('three brokers, each killed in turn', stack, [...times(scale, brokers), rolling(stack)]);
    }),
  frozen: (scale) =>
    on(1, (stack) => {
      const services = SERVICES.map((name) => freezeService(name, FROZEN_MS.member));
      const senders = [freezeService('dispatch', FROZEN_MS.lease), freezeService('dispatch', FROZEN_MS.lease, 1)];
      const servers = [freezeServer(stack, 'kafka', FROZEN_MS.server), freezeServer(stack, 'mongo', FROZEN_MS.server)];
      const blows = times(2 * scale, [...services, ...senders, ...servers]);
      return under('services and servers frozen', stack, blows, { replicas: { dispatch: 2 } });
    }),
  appends: (scale) =>
    on(1, async (stack) => {
      const report = await appendRun(stack, { rounds: 1_000 * scale, callers: 20, kills: 5 });
      say(`appends: ${JSON.stringify(report)}`);
      return report.lost + report.unasked + report.disordered === 0;
    }),
};

async function on(brokers: 1 | 3, work: (stack: Stack) => Promise<boolean>): Promise<boolean> {
  const stack = await Stack.start({ brokers });
  try {
    return await work(stack);
  } finally {
    await stack.destroy();
  }
}

/** `npm run test:faults -- [scale] [part]…`: 1 is the full length, 0.1 a tenth of it. */
async function main([scale = '1', ...wanted]: string[]): Promise<number> {
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
