import { runTask } from '@lettermill/runtime';
import { checkHop } from './hop/hop.check';

/** Tells a person whether the next hop takes mail from here; exits with code 1 if it does not. */
runTask('hop', async ({ nextHop, sending }) => {
  const { takes, text } = await checkHop(nextHop!, Date.now, { name: sending.ehloName });
  process.stdout.write(text);
  if (!takes) process.exit(1);
});
