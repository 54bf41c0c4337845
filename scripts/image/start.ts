// The entry point of the image: becomes the service that the argument names.
import { join } from 'node:path';
import { PROGRAMS } from './programs';

const [, , name = ''] = process.argv;
const program = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
if (program) {
  void import(join(__dirname, '..', '..', 'apps', program));
} else {
  process.stderr.write(
    `There is no «${name}» in this image. Start it with one of ${Object.keys(PROGRAMS).join(', ')}.\n`,
  );
  process.exit(64);
}
