import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const MINUTE_MS = 60_000;
const { KAFKA_BROKERS, MONGODB_URI } = process.env;

/** The bench that runs. */
let group: number | undefined;

/** Runs a bench with --try; resolves to its output when it has ended. */
async function runBench(file: string, words: string[], environment: NodeJS.ProcessEnv): Promise<string> {
  const env = { ...process.env, ...environment };
  const bench = spawn(process.execPath, [file, '--try', ...words], { env, cwd: join(__dirname, '..'), detached: true });
  group = bench.pid;
  let [output, errors] = ['', ''];
  bench.stdout.setEncoding('utf8').on('data', (text) => (output += text));
  bench.stderr.setEncoding('utf8').on('data', (text) => (errors += text));
  const [code] = await once(bench, 'close');
  if (code !== 0) throw new Error(`${file} ended with ${code}: ${errors}`);
  return output;
}

/** Ends all processes that a bench started; also one that did not end in time. */
function endGroup(): void {
  try {
    if (group !== undefined) process.kill(-group, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Name and ratio of each line of the table. */
function ratios(table: string): [string, number][] {
  const rows = table.split('\n').filter((line) => /^\|.*\d/.test(line));
  return rows.map((row) => {
    const cells = row.split('|').map((cell) => cell.trim());
    return [cells[1]!, Number(cells[4])];
  });
}

/** Tests that each bench still runs against the build, not how fast it is. */
describe('npm run bench -- --try', () => {
  afterEach(endGroup);

  it(
    'runs every bench of the embedded profile',
    async () => {
      const found = ratios(await runBench('bench/run.mjs', [], { KAFKA_BROKERS: '', MONGODB_URI: '' }));
      expect(found).toHaveLength(13);
      expect(found.filter(([, ratio]) => !(ratio >= 0))).toEqual([]);
    },
    15 * MINUTE_MS,
  );

  it.each(['bench/queue.mjs', 'bench/memory.mjs'])(
    'runs %s',
    async (file) => {
      expect(await runBench(file, [], { KAFKA_BROKERS: '', MONGODB_URI: '' })).toMatch(/\d+ MiB/);
    },
    5 * MINUTE_MS,
  );

  if (!KAFKA_BROKERS || !MONGODB_URI) {
    it('left out: the benches of the cluster profile need KAFKA_BROKERS and MONGODB_URI', () => {
      expect(KAFKA_BROKERS && MONGODB_URI).toBeFalsy();
    });
    return;
  }

  it(
    'runs every bench of the cluster profile',
    async () => {
      const found = ratios(await runBench('bench/run.mjs', ['cluster'], {}));
      expect(found).toHaveLength(6);
      expect(found.filter(([, ratio]) => !(ratio >= 0))).toEqual([]);
    },
    15 * MINUTE_MS,
  );
});
