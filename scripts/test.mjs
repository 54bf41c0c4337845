// Runs every suite that the environment allows, and says which were left out. Worker threads and e2e suites run the build.
import { spawnSync } from 'node:child_process';

const run = (args) => spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;

const built = run(['scripts/build.mjs', '--if-stale']);
if (built !== 0) process.exit(built);

const cluster = process.env.KAFKA_BROKERS && process.env.MONGODB_URI;
if (!cluster) process.stdout.write('left out: the cluster suites (KAFKA_BROKERS and MONGODB_URI are not set)\n');
process.exit(run(['node_modules/jest/bin/jest.js', ...process.argv.slice(2)]));
