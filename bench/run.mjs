// Prints ratios against bare baselines of the same run. Subject and baseline alternate; the median of the pairs counts.
//   npm run bench [-- [--try] <part of a name>…]
import { availableParallelism, loadavg } from 'node:os';
import { accept } from './accept.mjs';
import { acceptOnCluster } from './cluster.accept.mjs';
import { consumeOnCluster } from './cluster.consume.mjs';
import { CLUSTER } from './cluster.own.mjs';
import { fiveProcesses } from './cluster.processes.mjs';
import { upsertOnCluster } from './cluster.upsert.mjs';
import { dispatch } from './dispatch.mjs';
import { dkim } from './dkim.mjs';
import { wanted } from './extent.mjs';
import { fair } from './fair.mjs';
import { hostile } from './hostile.mjs';
import { idle } from './idle.mjs';
import { lanes } from './lanes.mjs';
import { pipeline } from './pipeline.mjs';
import { refusal } from './refusal.mjs';

const SUITES = {
  'accept of 1 recipient': () => accept(1),
  'accept of 100 recipients': () => accept(100),
  '422 with 300 faults': () => refusal(),
  'the slowest refusal of bodies up to 30 MB (less is better)': () => hostile(),
  'dispatch alone': () => dispatch('service'),
  'dispatch alone, only composed and sent': () => dispatch('sending'),
  'mails composed and signed, dkim by rsa2048': () => dkim('composed'),
  'dispatch alone, dkim by rsa2048': () => dkim('dispatch'),
  'beside a domain that answers after ten seconds': () => fair(),
  'p99 of high priority behind 100,000 of bulk (less is better)': () => lanes(),
  'idle: from the request to the mail at the next hop (less is better)': () => idle(),
  'whole pipeline, 1 recipient a call': () => pipeline(1),
  'whole pipeline, 100 recipients a call': () => pipeline(100),
};

const ON_CLUSTER = {
  'cluster: accept of 1 recipient': () => acceptOnCluster(1),
  'cluster: accept of 100 recipients': () => acceptOnCluster(100),
  'cluster: consumer adapter': consumeOnCluster,
  'cluster: contact upsert (a cost)': upsertOnCluster,
  'cluster: whole pipeline, 1 recipient a call': () => pipeline(1, fiveProcesses),
  'cluster: whole pipeline, 100 recipients a call': () => pipeline(100, fiveProcesses),
};
const ALL = { ...SUITES, ...(CLUSTER && ON_CLUSTER) };
if (!CLUSTER) process.stderr.write('left out: what needs KAFKA_BROKERS and MONGODB_URI\n');

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

const names = Object.keys(ALL).filter((name) => wanted.length === 0 || wanted.some((word) => name.includes(word)));
if (names.length === 0) {
  process.stderr.write(`none is named like that; there are:\n${Object.keys(ALL).join('\n')}\n`);
  process.exit(1);
}

process.stdout.write('| what | ours | baseline | ratio | pairs |\n|---|--:|--:|--:|---|\n');
for (const name of names) {
  const { unit, baseline, pairs } = await ALL[name]();
  const ratios = pairs.map(({ ours, bare }) => ours / bare);
  const cells = [
    name,
    `${Math.round(median(pairs.map(({ ours }) => ours)))} ${unit}`,
    `${Math.round(median(pairs.map(({ bare }) => bare)))} ${unit} (${baseline})`,
    median(ratios).toFixed(2),
    ratios.map((ratio) => ratio.toFixed(2)).join(' '),
  ];
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
  // The ratios do not show how busy the machine was.
  process.stderr.write(`# load ${loadavg()[0].toFixed(1)} on ${availableParallelism()} cores\n`);
}
process.exit(0);
