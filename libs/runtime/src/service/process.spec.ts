import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const RUNTIME = join(__dirname, '../../../../dist/libs/runtime/src/index.js');
const NEST = require.resolve('@nestjs/common');

describe('a task', () => {
  it('logs as lines of JSON what its stores log through Nest', () => {
    const news = `new (require(${JSON.stringify(NEST)}).Logger)('tracker').warn('what an older version stored')`;
    const program = `require(${JSON.stringify(RUNTIME)}).runTask('init', async () => ${news})`;
    const settings = { KAFKA_BROKERS: '127.0.0.1:1', MONGODB_URI: 'mongodb://127.0.0.1:1/lettermill' };
    const { stdout, status } = spawnSync(process.execPath, ['-e', program], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, ...settings },
    });
    expect(status).toBe(0);
    const lines = stdout.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { level: 40, service: 'tracker', msg: 'what an older version stored' },
    ]);
  });
});

/** What a program says on stderr, and its exit code. It has the library as `r`, and can send itself the signal. */
function run(program: string, signal: string): [string, number | null] {
  const send = `setInterval(() => undefined, 1000); const sent = () => {
    const arrived = new Promise((resolve) => process.once('${signal}', resolve));
    process.kill(process.pid, '${signal}');
    return arrived;
  };`;
  const start = `const r = require(${JSON.stringify(RUNTIME)}); ${send} ${program}`;
  const settings = { KAFKA_BROKERS: '127.0.0.1:1', MONGODB_URI: 'mongodb://127.0.0.1:1/lettermill' };
  const env = { PATH: process.env.PATH, LOG_LEVEL: 'silent', ...settings };
  const { stderr, status } = spawnSync(process.execPath, ['-e', start], { encoding: 'utf8', env });
  return [stderr, status];
}

describe.each(['SIGTERM', 'SIGINT'])('%s', (signal) => {
  it('stops a process once, with code 0, even if it could not start meanwhile', () => {
    const program = `
      let end;
      r.runProcess('init', () => ({
        start: async () => {
          await sent();
          await sent();
          setImmediate(end);
          throw new Error('not in time');
        },
        stop: async () => {
          process.stderr.write('stopping ');
          await new Promise((resolve) => (end = resolve));
          process.stderr.write('stopped');
        },
      }))`;
    expect(run(program, signal)).toEqual(['stopping stopped', 0]);
  });

  it('ends a task that is not done, with code 143', () => {
    const program = `r.runTask('init', () => sent().then(() => new Promise((resolve) => setImmediate(resolve))))`;
    expect(run(program, signal)).toEqual(['', 143]);
  });
});

describe('a process that is told to stop', () => {
  it.each([
    [undefined, 9_000],
    ['60', 69_000],
  ])('exits with code 0 even if it hangs: DRAIN_SECONDS=%s', (seconds, allowed) => {
    // Timers end at once; the one that is to end the process tells its time first.
    const start = `const r = require(${JSON.stringify(RUNTIME)}); r.runProcess('mailbox', () => ({
      start: async () => {
        setInterval(() => undefined, 1000);
        globalThis.setTimeout = (f, ms) => { process.stderr.write(String(ms)); f(); return { unref() {} }; };
        process.kill(process.pid, 'SIGTERM');
      },
      stop: () => new Promise(() => undefined),
    }))`;
    const { stderr, status } = spawnSync(process.execPath, ['-e', start], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, ...(seconds && { DRAIN_SECONDS: seconds }) },
    });
    expect([stderr, status]).toEqual([String(allowed), 0]);
  });
});

describe('a process that cannot start', () => {
  const runWithFault = (fault: string, stop = '') => {
    const start = `const r = require(${JSON.stringify(RUNTIME)}); r.runProcess('mailbox', () => ({ start: async () => { throw ${fault}; }, stop: async () => { ${stop} } }))`;
    const { stdout, stderr, status } = spawnSync(process.execPath, ['-e', start], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH },
    });
    return {
      stderr,
      status,
      lines: stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    };
  };

  it('logs what to do about a port in use, in one line without a stack', () => {
    const { stderr, status, lines } = runWithFault(`r.listenFault({ code: 'EADDRINUSE' }, '0.0.0.0', 8080)`);
    const msg = 'cannot listen on port 8080 of 0.0.0.0: another program is using it; set PORT to another port';
    expect(lines).toEqual([{ level: 60, time: expect.any(String), service: 'mailbox', code: 'can_not_listen', msg }]);
    expect([stderr, status]).toEqual(['', 1]);
  });

  it.each(['data_unusable', 'data_incomplete', 'directory_locked'])(
    'logs what to do about %s, in one line without a stack',
    (code) => {
      const { lines } = runWithFault(`Object.assign(new Error('what to do'), { code: '${code}' })`);
      expect(lines).toEqual([{ level: 60, time: expect.any(String), service: 'mailbox', code, msg: 'what to do' }]);
    },
  );

  it.each(['Promise.reject(new TypeError("a defect"))', 'setImmediate(() => { throw new TypeError("a defect"); })'])(
    'ends with code 1 at a fault that nobody handles: %s',
    (fault) => {
      const { lines, status } = runWithFault(`await new Promise(() => void ${fault})`);
      expect(lines).toMatchObject([{ level: 60, msg: 'a defect' }]);
      expect(status).toBe(1);
    },
  );

  it.each([
    ['what did start is stopped', `process.stderr.write('stopped')`, 'stopped'],
    ['that fails, too', `throw new Error('not even that')`, ''],
    ['that hangs', `await new Promise((resolve) => setInterval(resolve, 100_000))`, '9000'],
  ])('ends with its own fault once %s', (_, stop, told) => {
    // A timer that does not keep the process alive ends at once, and tells its time.
    const start = `globalThis.setTimeout = (end, ms) => ({ unref: () => { if (${told === '9000'}) { process.stderr.write(String(ms)); end(); } } });
      throw new Error('it cannot start')`;
    const { lines, status, stderr } = runWithFault(`await (async () => { ${start} })()`, stop);
    expect(lines).toMatchObject([{ level: 60, msg: 'it cannot start' }]);
    expect([stderr, status]).toEqual([told, 1]);
  });

  it('logs the stack of any other error', () => {
    const { lines, status } = runWithFault(`new TypeError('a defect')`);
    expect(lines).toMatchObject([{ level: 60, msg: 'a defect', err: { stack: expect.stringContaining('at ') } }]);
    expect(status).toBe(1);
  });
});
