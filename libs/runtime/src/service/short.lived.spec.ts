import { execFileSync } from 'node:child_process';
import { NO_PRETENURING } from './short.lived';

describe('NO_PRETENURING', () => {
  it('is a flag that this Node knows: V8 ignores unknown flags', () => {
    const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
    expect(known).toMatch(new RegExp(`${NO_PRETENURING.replace('--no-', '--(no-)?')} `));
  });
});
