import { Lettermill } from '../installations/lettermill';
import { Process } from '../installations/process';

/** A service whose brokers and database do not exist. */
const startTracker = (environment: NodeJS.ProcessEnv) =>
  new Process([process.execPath, 'dist/apps/tracker/src/main.js'], {
    PATH: process.env.PATH,
    HOST: '127.0.0.1',
    PORT: '0',
    KAFKA_BROKERS: '127.0.0.1:1',
    MONGODB_URI: 'mongodb://127.0.0.1:1/lettermill',
    INTERNAL_SECRET: 'a secret that all five services share',
    ...environment,
  });

describe('an invalid configuration', () => {
  it('is refused with the name of each wrong variable, without repeating a secret', async () => {
    const lettermill = await Lettermill.create({
      PORT: 'x',
      RATE_LIMIT: 'fast',
      RETENTION_DAYS: '-1',
      SMTP_URL: 'smtp://u:geheim@mail.example.com?tls=off',
      KAFKA_BROKERS: 'k:9092',
    });
    const failure = await lettermill.start().then(
      () => '',
      (error: Error) => error.message,
    );
    for (const name of ['PORT', 'RATE_LIMIT', 'RETENTION_DAYS', 'SMTP_URL', 'MONGODB_URI']) {
      expect(failure).toContain(name);
    }
    expect(failure).toContain('ended with 78');
    expect(failure).not.toContain('geheim');
    await lettermill.destroy();
  });

  it('is refused in the same way if only the database driver detects it', async () => {
    const service = startTracker({ MONGODB_URI: 'mongodb://ada:geheim@127.0.0.1:1/lettermill?colour=red' });
    expect(await service.exitCode).toBe(78);
    const [first, ...rest] = service.output.trim().split('\n');
    expect(first).toBe("The configuration can't be used:");
    expect(rest).toEqual(["  MONGODB_URI can't be used: option colour is not supported"]);
  });
});

describe('the check whether the next hop takes mail', () => {
  const startHopCheck = (environment: NodeJS.ProcessEnv) =>
    new Process([process.execPath, 'dist/apps/dispatch/src/hop.js'], { PATH: process.env.PATH, ...environment });

  it('needs SMTP_URL, and exits with 1 if the next hop takes none', async () => {
    const withoutUrl = startHopCheck({});
    expect(await withoutUrl.exitCode).toBe(78);
    expect(withoutUrl.output).toContain('SMTP_URL');
    const unreachable = startHopCheck({ SMTP_URL: 'smtp://127.0.0.1:1' });
    expect(await unreachable.exitCode).toBe(1);
    expect(unreachable.output).toMatch(/^127\.0\.0\.1:1 takes no mail from us\./);
  });
});

describe('a service of the cluster profile', () => {
  it('logs its name in every line, from the first', async () => {
    const service = startTracker({});
    await service.waitUntil(() => service.output.includes('waiting for MongoDB'));
    expect(await service.stop('SIGTERM')).toBe(0);
    const lines = service.output.trim().split('\n');
    const told = lines.map((line) => JSON.parse(line) as { service?: string; msg: string });
    expect(told.at(-1)!.msg).toBe('finishing work in progress');
    expect(new Set(told.map((line) => line.service))).toEqual(new Set(['tracker']));
    expect(lines.filter((line) => line.split('"service":').length !== 2)).toEqual([]);
  });
});
