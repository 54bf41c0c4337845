import { availableParallelism } from 'node:os';
import { COMPILER } from './scripts/compile.mjs';

/** Nest 12, nodemailer and others are ES modules: everything is compiled, nothing is passed over. */
const suites = {
  displayName: 'lettermill',
  rootDir: import.meta.dirname,
  testEnvironment: 'node',
  roots: [
    '<rootDir>/apps',
    '<rootDir>/libs',
    '<rootDir>/scripts',
    '<rootDir>/test',
    '<rootDir>/k8s',
    '<rootDir>/bench',
  ],
  testMatch: ['**/*.spec.ts'],
  transform: { '^.+\\.(ts|js|mjs)$': ['@swc/jest', COMPILER] },
  transformIgnorePatterns: [],
  moduleNameMapper: {
    '^@lettermill/([a-z]+)$': '<rootDir>/libs/$1/src/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
};

/** The suites that a user of either profile could have written, once more against the five processes on Kafka and MongoDB. */
const WHOLE = process.env.CLUSTER_SUITES === 'whole';
const BOTH_PROFILES = [
  'send/send',
  'send/send.content',
  'delivery/faults',
  'delivery/priority',
  'api/api',
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
  // Whoever waits in vain says for what much sooner, and a busy machine is no failure.
  testTimeout: 120_000,
  // Half of the time is waited for servers: two at once fit two cores.
  maxWorkers: Math.max(2, availableParallelism() - 1),
  projects: KAFKA_BROKERS && MONGODB_URI ? [suites, cluster] : [suites],
};
