import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

/** Runs a program of this folder as `npm run test:crash` and `npm run test:faults` do. */
async function run(program: string, ...args: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, ['scripts/typescript.mjs', `test/ledger/${program}`, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const output = await text(child.stdout);
  return { code: await ended, output };
}

describe('the long runs', () => {
  it('end with their verdict', async () => {
    const { code, output } = await run('main.ts', '0', '2');
    expect(output).toMatch(
      /^0 kills, \d+ mails, \d+ repeats, \d+ messages: 0 lost, 0 unexplained repeats, 0 faults in all$/m,
    );
    expect(code).toBe(0);
  });

  it.each([['1', 'no-such-part'], ['often']])(
    'refuse a part or scale that they do not know: %s %s',
    async (...args) => {
      const { code, output } = await run('faults.main.ts', ...args);
      expect(output).toMatch(/^usage: .*; the parts are services, .*, appends$/m);
      expect(code).toBe(1);
    },
  );
});
