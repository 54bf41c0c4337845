import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { shortenNextTimeout, StallingServer } from '../../../../libs/runtime/src/testing/stalling.server';
import { RemoteDeadLetters } from './dead.letters.remote';

describe('the dead letters of a running process', () => {
  let server: Server;
  let answer = { status: 200, text: '' };
  let deadLetters: RemoteDeadLetters;
  beforeAll((done) => {
    server = createServer((_request, response) => response.writeHead(answer.status).end(answer.text));
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      deadLetters = new RemoteDeadLetters({ url: `http://127.0.0.1:${port}`, token: 'x' });
      done();
    });
  });
  afterAll((done) => void server.close(done));

  const NO_ANSWER = 'The process that runs on this DATA_DIR does not answer; it may be starting or ending.';

  it.each([
    ['another program has its port', 200, '<!doctype html><p>Welcome', NO_ANSWER],
    ['another program refuses', 404, 'Not Found', NO_ANSWER],
    ['it refuses', 503, '{"detail":"The log is closed."}', 'The running process refused: The log is closed.'],
  ])('reports the cause: %s', async (_name, status, text, message) => {
    answer = { status, text };
    await expect(deadLetters.list({}, 1)).rejects.toMatchObject({ message, exitCode: 1 });
  });

  it('does not wait for ever for the rest of an answer, even after a garbage collection', async () => {
    const stalling = await StallingServer.open();
    shortenNextTimeout(1_500);
    const asked = new RemoteDeadLetters({ url: stalling.url, token: 'x' }).list({}, 1);
    const refused = expect(asked).rejects.toMatchObject({ message: NO_ANSWER, exitCode: 1 });
    await stalling.collectGarbageMeanwhile();
    await refused.finally(() => stalling.close());
  });

  it('returns undefined if the process responds with null', async () => {
    answer = { status: 200, text: 'null' };
    await expect(deadLetters.show('a')).resolves.toBeUndefined();
  });
});
