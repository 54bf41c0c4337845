import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const RUNTIME = join(__dirname, '../../../../dist/libs/runtime/src/index.js');
const NEST = require.resolve('@nestjs/common');

describe('a task', () => {
  it('says in lines of JSON what its stores say by Nest', () => {
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
