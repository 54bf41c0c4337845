import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCommand } from './command.line';

/** Loading these takes several times as long as a call of the gateway. */
jest.mock('@nestjs/core', () => mockLoads('Nest'));
jest.mock('@nestjs/common', () => mockLoads('Nest'));
jest.mock('@lettermill/contract', () => mockLoads('the schemas'));
jest.mock('@lettermill/log', () => mockLoads('the log'));

function mockLoads(what: string): never {
  throw new Error(`It loads ${what}.`);
}

async function run(env: NodeJS.ProcessEnv, ...args: string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const code = await runCommand(args, { env, stdin: new PassThrough(), stdout, stderr });
  return { code, out: await text(stdout.end()), err: await text(stderr.end()) };
}

it.each([[['--help']], [['messages', '--help']], [['dead-letters', 'list', '--help']]])(
  '%j loads nothing of a service',
  async (args) => expect(await run({}, ...args)).toMatchObject({ code: 0, err: '' }),
);

it('nor does a command that calls the gateway', async () => {
  const gateway = createServer((_request, response) => response.end(JSON.stringify({ data: [], next_cursor: null })));
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  const { port } = gateway.address() as AddressInfo;
  const env = { GATEWAY_URL: `http://127.0.0.1:${port}`, LETTERMILL_API_KEY: 'k'.repeat(20) };
  try {
    expect(await run(env, 'messages', 'list')).toEqual({ code: 0, out: 'No messages.\n', err: '' });
  } finally {
    gateway.closeAllConnections();
    await new Promise((resolve) => gateway.close(resolve));
  }
});
