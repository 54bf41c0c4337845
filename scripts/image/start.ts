// The entry point of the image: runs the program that the first argument names, with the remaining arguments.
import { join } from 'node:path';
import { PROGRAMS } from './programs';

const [name = ''] = process.argv.splice(2, 1);
const program = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
// The first process of a container has no default action for signals: one that arrives while the program loads would be lost.
const SIGNALS = ['SIGTERM', 'SIGINT'];
const leave = () => process.exit(143);

if (program) {
  for (const signal of SIGNALS) process.on(signal, leave);
  void import(join(__dirname, '..', '..', 'apps', program)).finally(() => {
    for (const signal of SIGNALS) process.off(signal, leave);
  });
} else {
  process.stderr.write(
    `There is no «${name}» in this image. Start it with one of ${Object.keys(PROGRAMS).join(', ')}.\n`,
  );
  process.exit(64);
}
