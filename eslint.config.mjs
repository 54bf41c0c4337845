import { readdirSync } from 'node:fs';
import tseslint from 'typescript-eslint';
import { featureCycles, importCycles } from './scripts/import-cycles.mjs';

const APPS = readdirSync(`${import.meta.dirname}/apps`);
const NEST = ['@nestjs/*', '@nestjs/**'];
const IO = [
  'node:fs',
  'node:fs/*',
  'node:net',
  'node:http',
  'node:https',
  'node:tls',
  'node:child_process',
  'node:worker_threads',
  'node:timers',
  'node:timers/*',
];

const restrict = (...patterns) => ({ 'no-restricted-imports': ['error', { patterns }] });

/** Only the adapters that wrap a driver may import it. */
const DRIVERS = {
  regex: '^(libsql|mongoose|mongodb|kafkajs|@nestjs/mongoose|nodemailer|smtp-server|liquidjs|mjml)(/|$)',
  message: 'Only an adapter imports its driver; a new one is named among the adapters in eslint.config.mjs.',
};
const OTHER_APPS = {
  regex: `^(\\.\\./)+(${APPS.join('|')})/src`,
  message:
    'Apps never import apps; only standalone starts them, and init prepares their stores. What two apps need is a library.',
};
const ALL_APPS = { regex: 'apps/|^(\\.\\./)+(' + APPS.join('|') + ')/src', message: 'A library knows no app.' };
const INSIDE_LIBS = {
  group: ['@lettermill/*/*'],
  message: 'A library is entered by its index, which exports what others may use.',
};
const otherLog = (folder) => ({
  regex: `^\\.\\./${folder}`,
  message: 'The adapters of the log know nothing of each other.',
});
const pureFiles = (rule) =>
  `Files with such a name, or in such a library, are pure (PURE_IN_APPS, PURE_IN_LIBS): ${rule}`;
const PURE = [
  { group: NEST, message: pureFiles('they know no framework.') },
  { group: IO, message: pureFiles('they do no I/O.') },
];

/** Files that decide, merge, parse or classify. */
const PURE_IN_APPS = [
  'apps/*/src/**/*.{machine,merge,decide,rules,rules.*,classify,answer,resolve,state,facts,copies,recall,retry,events,portions}.ts',
  'apps/*/src/**/{precedence,backoff}.ts',
  'apps/dispatch/src/due/{domain.shares,due.lanes,due.rotation,due.window,token.bucket}.ts',
  'apps/dispatch/src/due/{decaying.rate,learned.rate,recent.answers,share.bounds,smoothed,typical}.ts',
  'apps/dispatch/src/hop/hop.window.ts',
];
const PURE_IN_LIBS = [
  'libs/contract/src/**/*.ts',
  'libs/events/src/**/*.ts',
  'libs/problems/src/**/*.ts',
  'libs/log/src/embedded/*.codec.ts',
];

/** Pure files get times and ids as arguments. */
const PASSED_IN = pureFiles('times, ids and settings are passed in.');
const clock = (object, ...properties) => properties.map((property) => ({ object, property, message: PASSED_IN }));
const NO_CLOCK = {
  'no-restricted-properties': [
    'error',
    ...clock('Date', 'now'),
    ...clock('performance', 'now'),
    ...clock('Math', 'random'),
    ...clock('process', 'env', 'hrtime'),
  ],
  'no-restricted-globals': [
    'error',
    ...['setTimeout', 'setInterval', 'setImmediate', 'fetch'].map((name) => ({ name, message: PASSED_IN })),
  ],
};

/** Where processes begin, and settings that are no configuration of ours. All else has its configuration given: `CONFIG`. */
const READS_ENVIRONMENT = [
  'libs/runtime/src/service/process.ts',
  'libs/runtime/src/tracing/tracing.ts',
  'apps/init/src/main.ts',
  'apps/dispatch/src/dkim/signing.slots.ts',
];

const SPREAD_LITERALS = [
  'ObjectExpression > SpreadElement > ObjectExpression',
  'ArrayExpression > SpreadElement > ArrayExpression',
  ':matches(CallExpression, NewExpression) > SpreadElement > ArrayExpression',
].map((selector) => ({ selector, message: 'Write the members of the inner literal themselves.' }));

export default tseslint.config(
  { ignores: ['dist/**', 'dist.making/**', 'node_modules/**', 'data/**', 'coverage/**'] },
  ...tseslint.configs.recommended,
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'inline-type-imports', prefer: 'type-imports' },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-extraneous-class': 'off',
      'no-console': 'error',
      eqeqeq: ['error', 'always'],
      'no-restricted-syntax': ['error', ...SPREAD_LITERALS],
      'max-params': ['error', 6],
      'max-lines': ['error', { max: 300 }],
      'max-lines-per-function': ['error', { max: 60, skipComments: true, skipBlankLines: true }],
    },
  },
  {
    // What the build relies on (`copied` in scripts/compile.mjs).
    files: ['{apps,libs,scripts}/**/*.ts'],
    plugins: { lettermill: { rules: { 'import-cycles': importCycles, 'feature-cycles': featureCycles } } },
    rules: {
      'lettermill/import-cycles': 'error',
      'lettermill/feature-cycles': 'error',
      'no-restricted-syntax': [
        'error',
        ...SPREAD_LITERALS,
        {
          selector: 'ExportNamedDeclaration > VariableDeclaration[kind!="const"]',
          message: 'Export a const: what is exported is not assigned to again.',
        },
      ],
    },
  },
  {
    files: ['{apps,libs}/**/*.ts'],
    ignores: ['**/*.spec.ts', '**/*.contract.ts', '**/testing/**', ...READS_ENVIRONMENT],
    rules: {
      'no-restricted-properties': [
        'error',
        {
          object: 'process',
          property: 'env',
          message:
            'A variable is read in libs/config, where it is checked and must be documented; services have it from CONFIG.',
        },
      ],
    },
  },
  {
    files: ['apps/**/*.ts'],
    ignores: ['apps/standalone/**', 'apps/init/**'],
    rules: restrict(DRIVERS, OTHER_APPS, INSIDE_LIBS),
  },
  { files: ['apps/{standalone,init}/**/*.ts'], rules: restrict(DRIVERS, INSIDE_LIBS) },
  { files: ['libs/**/*.ts'], rules: restrict(DRIVERS, ALL_APPS, INSIDE_LIBS) },
  {
    files: PURE_IN_APPS,
    ignores: ['**/*.spec.ts'],
    rules: { ...restrict(DRIVERS, OTHER_APPS, INSIDE_LIBS, ...PURE), ...NO_CLOCK },
  },
  {
    files: PURE_IN_LIBS,
    ignores: ['**/*.spec.ts'],
    rules: { ...restrict(DRIVERS, ALL_APPS, INSIDE_LIBS, ...PURE), ...NO_CLOCK },
  },
  // The adapters, which may import drivers.
  {
    files: ['apps/mailbox/src/mailbox/{mailbox.smtp,loopback.server}.ts'],
    rules: restrict(OTHER_APPS, INSIDE_LIBS),
  },
  {
    files: ['libs/storage/src/{libsql,mongoose}/*.ts', 'libs/templates/src/**/*.ts'],
    rules: restrict(ALL_APPS, INSIDE_LIBS),
  },
  {
    files: ['libs/log/src/embedded/*.ts'],
    ignores: ['libs/log/src/embedded/*.codec.ts'],
    rules: restrict(ALL_APPS, INSIDE_LIBS, otherLog('kafka')),
  },
  { files: ['libs/log/src/{kafka,kafkajs}/*.ts'], rules: restrict(ALL_APPS, INSIDE_LIBS, otherLog('embedded')) },
  {
    files: ['**/*.spec.ts', '**/*.contract.ts', '**/testing/**', 'test/**/*.ts', 'k8s/**/*.ts', 'bench/**'],
    rules: {
      'max-lines-per-function': 'off',
      'max-lines': 'off',
      'no-restricted-imports': 'off',
      '@typescript-eslint/no-floating-promises': 'off',
    },
  },
  { files: ['**/*.{mjs,js}'], ...tseslint.configs.disableTypeChecked },
);
