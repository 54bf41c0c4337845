import { execFileSync } from 'node:child_process';
import { NO_PRETENURING } from './short.lived';

describe('garbage that is kept young', () => {
  it('asks for what this Node knows: V8 passes over a flag that it does not', () => {
    const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
    expect(known).toMatch(new RegExp(`${NO_PRETENURING.replace('--no-', '--(no-)?')} `));
  });
});
