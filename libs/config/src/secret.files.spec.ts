import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConfigFault } from './config';
import { readConfig } from './config.reading';
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

  it('reads the content of a file, without its final line break', () => {
    const { result, faults } = read({ INTERNAL_SECRET_FILE: file('secret', `${'s'.repeat(32)}\n`) });
    expect(faults).toEqual([]);
    expect(result.INTERNAL_SECRET).toBe('s'.repeat(32));
  });

  it('prefers the variable itself, and then reads no file', () => {
    const { result, faults } = read({ MONGODB_URI: 'mongodb://a', MONGODB_URI_FILE: join(directory, 'none') });
    expect(faults).toEqual([]);
    expect(result.MONGODB_URI).toBe('mongodb://a');
  });

  it('reports a missing or empty file by its variable, without content', () => {
    const { faults } = read({
      INTERNAL_SECRET_FILE: join(directory, 'none'),
      BOOTSTRAP_API_KEY_FILE: file('empty', '\n'),
    });
    expect(faults).toEqual([
      expect.stringMatching(/^INTERNAL_SECRET_FILE .*none.*ENOENT/),
      expect.stringMatching(/^BOOTSTRAP_API_KEY_FILE .*empty/),
    ]);
  });

  it('reads files only for secrets', () => {
    expect(read({ LOG_LEVEL_FILE: file('level', 'debug') }).result.LOG_LEVEL).toBeUndefined();
  });

  it('validates the content of a file like that of the variable', () => {
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
