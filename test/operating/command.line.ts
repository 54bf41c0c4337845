import { spawn } from 'node:child_process';
import { join } from 'node:path';

export interface CommandResult {
  code: number | null;
  out: string;
  err: string;
}

/** Runs `lettermill …` without a terminal, so that it cannot ask for confirmation. */
export function lettermillCommand(environment: Record<string, string>, ...args: string[]): Promise<CommandResult> {
  const { KAFKA_BROKERS: _k, MONGODB_URI: _m, DATA_DIR: _d, ...inherited } = process.env;
  const child = spawn(process.execPath, [join(__dirname, '../../dist/apps/cli/src/main.js'), ...args], {
    env: { ...inherited, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ran: CommandResult = { code: null, out: '', err: '' };
  child.stdout.on('data', (text: Buffer) => (ran.out += text.toString()));
  child.stderr.on('data', (text: Buffer) => (ran.err += text.toString()));
  return new Promise((resolve) => child.on('close', (code) => resolve({ ...ran, code })));
}
