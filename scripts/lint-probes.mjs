// Shows that each rule about imports, and some others, fires: lints code that breaks it, as if it were at a path to which the rule applies.
import { ESLint } from 'eslint';

const IMPORTS = 'no-restricted-imports';
const CYCLES = 'lettermill/import-cycles';

const PROBES = [
  ['apps never import apps', 'apps/gateway/src/send/accept.ts', `import '../../../contacts/src/contacts.module';`],
  ['a library knows no app', 'libs/events/src/ids.ts', `import '../../../apps/gateway/src/gateway.module';`],
  ['a library is entered by its index', 'apps/gateway/src/send/accept.ts', `import '@lettermill/log/src/log.port';`],
  [
    'an adapter knows no other app',
    'apps/mailbox/src/mailbox/mailbox.smtp.ts',
    `import '../../../dispatch/src/dispatch.module';`,
  ],
  [
    'an adapter in a library knows no app',
    'libs/log/src/kafka/kafka.log.ts',
    `import '../../../../apps/gateway/src/gateway.module';`,
  ],
  ['libsql only in its adapters', 'apps/gateway/src/send/accept.ts', `import 'libsql';`],
  ['nodemailer in tests alone', 'apps/dispatch/src/hop/hop.pool.ts', `import 'nodemailer/lib/smtp-connection';`],
  ['pure files know no framework', 'apps/dispatch/src/lifecycle/delivery.machine.ts', `import '@nestjs/common';`],
  ['pure files do no I/O', 'apps/contacts/src/resolve/profile.merge.ts', `import 'node:fs';`],
  ['the contract is pure', 'libs/contract/src/faults/verdict.ts', `import '@nestjs/common';`],
  ['the error table is pure', 'libs/problems/src/problem.ts', `import '@nestjs/common';`],
  [
    'pure files know no clock',
    'apps/tracker/src/timeline/message.state.ts',
    `export const now = Date.now();`,
    'no-restricted-properties',
  ],
  [
    'variables are read by the configuration alone',
    'apps/dispatch/src/sending/sender.ts',
    `export const pace = process.env.PACE;`,
    'no-restricted-properties',
  ],
  ['a log knows no other', 'libs/log/src/kafka/kafka.log.ts', `import '../embedded/topics';`],
  ['nor does the other', 'libs/log/src/embedded/embedded.log.ts', `import '../kafkajs/crc32c';`],
  ['no file imports itself by its index', 'libs/events/src/ids.ts', `export * from './index';`, CYCLES],
  [
    'no two files import each other',
    'apps/contacts/src/suppressions/suppression.ts',
    `import { LibsqlSuppressionsStore as store } from './suppressions.store.libsql'; export { store };`,
    CYCLES,
  ],
  [
    'no two features import each other',
    'apps/gateway/src/attachments/file.faults.ts',
    `import { Accept } from '../send/accept'; export { Accept };`,
    'lettermill/feature-cycles',
  ],
  ['no two libraries import each other', 'libs/version/src/index.ts', `import '@lettermill/runtime';`, CYCLES],
  [
    'what is exported is not assigned to again',
    'libs/events/src/ids.ts',
    `export let count = 0; count += 1;`,
    'no-restricted-syntax',
  ],
  [
    'no literal is spread within a literal',
    'apps/gateway/src/send/accept.ts',
    `export const pair = { a: 1, ...{ b: 2 } };`,
    'no-restricted-syntax',
  ],
  ['nor a list within a list', 'test/send/send.e2e.spec.ts', `export const list = [...['a']];`, 'no-restricted-syntax'],
  ['nor a list within a call', 'bench/bench.spec.ts', `Math.max(...[1, 2]);`, 'no-restricted-syntax'],
];

const eslint = new ESLint();
let silent = 0;
for (const [rule, filePath, code, ruleId = IMPORTS] of PROBES) {
  const [result] = await eslint.lintText(`${code}\n`, { filePath });
  const fired = result.messages.some((message) => message.ruleId === ruleId);
  if (!fired) {
    silent += 1;
    process.stderr.write(`the rule «${rule}» did not fire in ${filePath}: ${JSON.stringify(result.messages)}\n`);
  }
}
process.stdout.write(`rules about modules: ${PROBES.length - silent} of ${PROBES.length} fire\n`);
process.exit(silent === 0 ? 0 : 1);
