import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readConfig, SERVICES, type Role } from '@lettermill/config';
import { makeSecrets } from '../../apps/init/src/secrets/secrets';
import { SECRETS_OF } from '../../k8s/secrets';
import { ROOT, describeIfInstalled } from '../../k8s/testing';
import { readCompose, withDefaults, type ComposeService } from './compose';

const SECRETS = new Set(Object.values(SECRETS_OF).flat());
/** Secrets that services read from files. Gateway, mailbox and welcome also accept a key from the user's environment. */
const SECRETS_FROM_FILES = ['INTERNAL_SECRET', 'BOOTSTRAP_API_KEY', 'DKIM_KEY_SECRET'];

interface Mount {
  volume: string;
  path: string;
  mode?: string;
}

const mountsOf = ({ volumes = [] }: ComposeService) =>
  volumes
    .map((line) => line.split(':'))
    .map(([volume, path, mode]): Mount => ({ volume: volume!, path: path!, ...(mode && { mode }) }));
/** The secret files that the environment of a service names, with their variables. */
const secretFilesOf = ({ environment = {} }: ComposeService) =>
  Object.entries(environment).flatMap(([name, path]) =>
    name.endsWith('_FILE') ? [{ variable: name.slice(0, -'_FILE'.length), path }] : [],
  );

describeIfInstalled('docker-compose.yml', ['tools'], () => {
  describe('the secrets of docker-compose.yml', () => {
    const { services, volumes, ours } = readCompose();
    const { SECRETS_DIR } = services.init!.environment!;
    const secretVolumes = new Set(mountsOf(services.init!).map(({ volume }) => volume));
    let secretFiles: string[];
    beforeAll(async () => {
      const directory = mkdtempSync(join(tmpdir(), 'secrets-'));
      secretFiles = (await makeSecrets(directory)).map((file) => join(SECRETS_DIR!, file));
      rmSync(directory, { recursive: true });
    });

    it('are given to the services that need them, and to no other', () => {
      expect(Object.keys(SECRETS_OF).sort()).toEqual([...ours.map(([name]) => name), 'kafka', 'mongo'].sort());
      for (const [name, service] of Object.entries(services)) {
        const variables = Object.keys(service.environment ?? {}).map((variable) => variable.replace(/_FILE$/, ''));
        const secretNames = [...new Set(variables.filter((variable) => SECRETS.has(variable)))];
        expect([name, secretNames.sort()]).toEqual([name, [...(SECRETS_OF[name] ?? [])].sort()]);
      }
    });

    it('are read from files, and in no environment unless the user sets them', () => {
      for (const [name, service] of ours) {
        const environment = service.environment ?? {};
        for (const variable of SECRETS_FROM_FILES)
          expect([name, withDefaults(environment[variable] ?? '')]).toEqual([name, '']);
        expect([name, secretFilesOf(service).map(({ variable }) => variable)]).toEqual([
          name,
          name === 'init'
            ? []
            : expect.arrayContaining(SECRETS_OF[name]!.filter((one) => SECRETS_FROM_FILES.includes(one))),
        ]);
      }
    });

    it('are created by init, each in a folder of the image with a volume of its own', () => {
      const image = readFileSync(join(ROOT, 'Dockerfile'), 'utf8').replace(/\\\n/g, ' ');
      const folders = /install -d -o 1000 -g 1000 (\/system\/run[^&]*)/.exec(image)![1]!.trim().split(/\s+/);
      const mounts = mountsOf(services.init!);
      expect(mounts.map(({ path }) => path).sort()).toEqual(secretFiles.map((file) => dirname(file)).sort());
      expect(folders).toEqual(expect.arrayContaining(mounts.map(({ path }) => `/system${path}`)));
      expect(secretVolumes.size).toBe(secretFiles.length);
      expect(Object.keys(volumes)).toEqual(expect.arrayContaining([...secretVolumes]));
    });

    it('are mounted only where they are used, and read-only except in init', () => {
      const places = new Map(mountsOf(services.init!).map(({ volume, path }) => [volume, path]));
      for (const [name, service] of Object.entries(services)) {
        if (name === 'init') continue;
        const files = secretFilesOf(service).map(({ path }) => path);
        const mounts = mountsOf(service).filter(({ volume }) => secretVolumes.has(volume));
        expect([name, mounts.map(({ path }) => path).sort()]).toEqual([
          name,
          files.map((file) => dirname(file)).sort(),
        ]);
        expect(secretFiles).toEqual(expect.arrayContaining(files));
        for (const { volume, path, mode } of mounts)
          expect([name, path, mode]).toEqual([name, places.get(volume), 'ro']);
      }
    });

    it('configure every process, and a service does not start if a required one is empty', () => {
      for (const [name, service] of ours) {
        const environment = Object.entries(service.environment!).filter(([key]) => !key.endsWith('_FILE'));
        const read = secretFilesOf(service).map(({ variable }) => [variable, 's'.repeat(32)]);
        const given: Record<string, string> = {
          ...Object.fromEntries(environment.map(([key, value]) => [key, withDefaults(value)])),
          ...(Object.fromEntries(read) as Record<string, string>),
        };
        expect(() => readConfig(given, name as Role)).not.toThrow();
        if (!(SERVICES as readonly string[]).includes(name)) continue;
        const needed = SECRETS_OF[name]!.filter((one) => one !== 'BOOTSTRAP_API_KEY' && one !== 'DKIM_KEY_SECRET');
        for (const variable of needed)
          expect(() => readConfig({ ...given, [variable]: '' }, name as Role)).toThrow(variable);
      }
    });
  });
});
