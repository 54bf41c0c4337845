// The last line of the gate, from Jest's own report. No report or no test at all is a failure.
import { readFileSync } from 'node:fs';

const { numPassedTests, numFailedTests, numFailedTestSuites, numRuntimeErrorTestSuites } = JSON.parse(
  readFileSync(process.argv[2], 'utf8') || '{}',
);
if (!numPassedTests) process.exitCode = 1;
const broken = Math.max(numFailedTests ?? 0, numFailedTestSuites ?? 0, numRuntimeErrorTestSuites ?? 0);
process.stdout.write(`${numPassedTests ?? 0} passed, ${broken} failed\n`);
