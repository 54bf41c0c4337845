import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConfigFault, readConfig } from './config';
import { withSecretFiles } from './secret.files';

describe('secrets in files', () => {
  let directory: string;
  const file = (name: string, content: string) => {
    const path = join(directory, name);
    writeFileSync(path, content);
    return path;
  };
  beforeAll(() => (directory = mkdtempSync(join(tmpdir(), 'secrets-'))));
  afterAll(() => rmSync(directory, { recursive: true }));

  const read = (environment: Record<string, string>) => {
    const faults: string[] = [];
    const result = withSecretFiles(environment, (variable, problem) => faults.push(`${variable} ${problem}`));
    return { result, faults };
  };

  it('reads what a file holds, without the end of its line', () => {
    const { result, faults } = read({ INTERNAL_SECRET_FILE: file('secret', `${'s'.repeat(32)}\n`) });
    expect(faults).toEqual([]);
    expect(result.INTERNAL_SECRET).toBe('s'.repeat(32));
  });

  it('lets the variable itself count, and does not even look then', () => {
    const { result, faults } = read({ MONGODB_URI: 'mongodb://a', MONGODB_URI_FILE: join(directory, 'none') });
    expect(faults).toEqual([]);
    expect(result.MONGODB_URI).toBe('mongodb://a');
  });

  it('tells a file that is missing or empty by variable, and never its content', () => {
    const { faults } = read({
      INTERNAL_SECRET_FILE: join(directory, 'none'),
      BOOTSTRAP_API_KEY_FILE: file('empty', '\n'),
    });
    expect(faults).toEqual([
      expect.stringMatching(/^INTERNAL_SECRET_FILE .*none.*ENOENT/),
      expect.stringMatching(/^BOOTSTRAP_API_KEY_FILE .*empty/),
    ]);
  });

  it('takes files for secrets alone', () => {
    expect(read({ LOG_LEVEL_FILE: file('level', 'debug') }).result.LOG_LEVEL).toBeUndefined();
  });

  it('checks what was in the file like the variable', () => {
    const environment = {
      KAFKA_BROKERS: 'k:9092',
      MONGODB_URI_FILE: file('uri', 'mongodb://m'),
      INTERNAL_SECRET_FILE: file('short', 'too-short'),
    };
    const fault = (() => {
      try {
        return readConfig(environment, 'gateway');
      } catch (error) {
        return error;
      }
    })() as ConfigFault;
    expect(fault.faults).toEqual([{ variable: 'INTERNAL_SECRET', problem: 'must have at least 32 characters' }]);
    expect(fault.message).not.toContain('too-short');
  });
});
