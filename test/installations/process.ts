import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

export const ROOT = join(__dirname, '..', '..');

/** Stops a process where it is, and lets it go on after `ms`. */
export async function freeze(pid: number, ms: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await pause(ms);
  process.kill(pid, 'SIGCONT');
}

/** One process of the product, with all its output. */
export class Process {
  private readonly child: ChildProcess;
  /** Resolves with the exit code, null after a signal. */
  readonly exitCode: Promise<number | null>;
  output = '';

  constructor(command: string[], env: NodeJS.ProcessEnv) {
    const options = { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'], detached: true };
    const child = spawn(command[0]!, command.slice(1), options);
    child.stdout.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    this.child = child;
    this.exitCode = new Promise((resolve) => child.once('exit', resolve));
  }

  get pid(): number {
    return this.child.pid!;
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Resolves once `condition` returns true; rejects if the process ends before. */
  async waitUntil(condition: () => boolean | Promise<boolean>, timeoutMs = 60_000): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    while (!(await condition())) {
      if (this.hasEnded) throw new Error(`it ended with ${this.child.exitCode} before it was ready:\n${this.output}`);
      if (Date.now() > deadline) throw new Error(`it was not ready in time; it said:\n${this.output.slice(-2_000)}`);
      await pause(20);
    }
  }

  async stop(signal: NodeJS.Signals): Promise<number | null> {
    if (this.hasEnded) return this.child.exitCode;
    // Kills the whole group, so that what npm has started ends, too.
    if (signal === 'SIGKILL') process.kill(-this.pid, signal);
    else this.child.kill(signal);
    return this.exitCode;
  }
}
