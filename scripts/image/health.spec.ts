import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

describe('the health check of the image', () => {
  const { PORT } = process.env;
  let said = '';
  beforeEach(() => {
    said = '';
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => ((said += String(text)), true));
  });
  afterEach(() => {
    jest.restoreAllMocks();
    if (PORT === undefined) delete process.env.PORT;
    else process.env.PORT = PORT;
  });

  /** Resolves to its exit code. */
  const check = (port: number): Promise<unknown> => {
    process.env.PORT = String(port);
    return new Promise((resolve) => {
      jest.spyOn(process, 'exit').mockImplementation(((code: unknown) => resolve(code)) as never);
      jest.isolateModules(() => void jest.requireActual('./health'));
    });
  };

  it('says where to look if nothing listens, as while a service waits for Kafka', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    expect(await check(port)).toBe(1);
    expect(said).toBe(`nothing listens on port ${port} yet: the log of this container says what it waits for\n`);
  });

  it.each([
    [200, 0, ''],
    [503, 1, 'the log is down\n'],
  ])('tells what is not ready: %d', async (status, code, text) => {
    const asked = jest.spyOn(globalThis, 'fetch').mockResolvedValue(new Response('the log is down', { status }));
    expect([await check(3000), said]).toEqual([code, text]);
    expect(asked).toHaveBeenCalledWith('http://127.0.0.1:3000/health/ready', expect.anything());
  });

  it('tells any other error', async () => {
    jest.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('no answer in time'));
    expect([await check(3000), said]).toEqual([1, 'no answer in time\n']);
  });
});
