import { join } from 'node:path';
import { workerFile } from './worker.file';

const ROOT = join(__dirname, '..', '..', '..');
const THREADS = 'libs/templates/src/compile';

describe('the file of a worker thread', () => {
  it('is the compiled one, beside its caller or in dist', () => {
    const compiled = join(ROOT, 'dist', THREADS, 'compile.worker.js');
    expect(workerFile(join(ROOT, THREADS), 'compile.worker')).toBe(compiled);
    expect(workerFile(join(ROOT, 'dist', THREADS), 'compile.worker')).toBe(compiled);
  });

  it('names the command to compile it when it is missing', () => {
    expect(() => workerFile(join(ROOT, THREADS), 'no.worker')).toThrow(
      /no\.worker\.js is not there: run `npm run build`/,
    );
  });
});
