// The entry point of the image: runs the program that the first argument names, with the remaining arguments.
import { join } from 'node:path';
import { PROGRAMS } from './programs';

const [name = ''] = process.argv.splice(2, 1);
const program = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
if (program) {
  void import(join(__dirname, '..', '..', 'apps', program));
} else {
  process.stderr.write(
    `There is no «${name}» in this image. Start it with one of ${Object.keys(PROGRAMS).join(', ')}.\n`,
  );
  process.exit(64);
}
