import { availableParallelism } from 'node:os';
import { COMPILER } from './scripts/compile.mjs';

/** All files are compiled, including dependencies, because Nest 12, nodemailer and others are ES modules. */
const suites = {
  displayName: 'lettermill',
  rootDir: import.meta.dirname,
  testEnvironment: 'node',
  setupFiles: ['<rootDir>/test/properties.setup.ts'],
  roots: [
    '<rootDir>/apps',
    '<rootDir>/libs',
    '<rootDir>/scripts',
    '<rootDir>/test',
    '<rootDir>/k8s',
    '<rootDir>/bench',
  ],
  testMatch: ['**/*.spec.ts'],
  transform: {
    '/libs/(?!version/)[a-z/]+/index\\.ts$': '<rootDir>/scripts/lazy.index.mjs',
    '^.+\\.(ts|js|mjs)$': ['@swc/jest', COMPILER],
  },
  transformIgnorePatterns: [],
  moduleNameMapper: {
    '^@lettermill/([a-z]+)$': '<rootDir>/libs/$1/src/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
};

/** Suites that use the product only from outside. They run a second time, against the five processes on Kafka and MongoDB. */
const WHOLE = process.env.CLUSTER_SUITES === 'whole';
const BOTH_PROFILES = [
  'send/send',
  'send/send.content',
  'delivery/faults',
  'delivery/priority',
  'api/api',
  'api/templates',
  'attachments/attachments',
  'attachments/malformed',
  'attachments/fetched',
  ...(WHOLE
    ? [
        'operating/restart',
        'send/contract',
        'send/contract.answers',
        'delivery/copies.suppressed',
        'delivery/copies.refused',
        'delivery/dkim',
        'delivery/dkim.domains',
        'delivery/dkim.secrets',
        'observability/tracing',
      ]
    : []),
];
const cluster = {
  ...suites,
  displayName: 'cluster',
  setupFilesAfterEnv: ['<rootDir>/test/installations/cluster.profile.ts'],
  roots: ['<rootDir>/test'],
  testMatch: BOTH_PROFILES.map((name) => `<rootDir>/test/${name}.e2e.spec.ts`),
};

const { KAFKA_BROKERS, MONGODB_URI } = process.env;
export default {
  // Long, because a busy machine must not fail a test. The waits in the tests end much sooner, and say what they waited for.
  testTimeout: 120_000,
  // Suites wait for servers half of the time, so two at once suit two cores.
  maxWorkers: Math.max(2, availableParallelism() - 1),
  // Suites leave behind what the garbage collector then goes through again and again, until everything takes several times as long.
  workerIdleMemoryLimit: '800MB',
  projects: KAFKA_BROKERS && MONGODB_URI ? [suites, cluster] : [suites],
};
