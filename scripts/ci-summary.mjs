// Prints the last line of the gate from Jest's report. It fails if there is no report, or no test in it.
import { readFileSync } from 'node:fs';

const { numPassedTests, numFailedTests, numFailedTestSuites, numRuntimeErrorTestSuites } = JSON.parse(
  readFileSync(process.argv[2], 'utf8') || '{}',
);
if (!numPassedTests) process.exitCode = 1;
const broken = Math.max(numFailedTests ?? 0, numFailedTestSuites ?? 0, numRuntimeErrorTestSuites ?? 0);
process.stdout.write(`${numPassedTests ?? 0} passed, ${broken} failed\n`);
