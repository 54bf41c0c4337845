import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** One line per instruction. */
const instructions = read('Dockerfile')
  .replace(/\\\n/g, ' ')
  .split('\n')
  .filter((line) => line.trim() !== '' && !line.startsWith('#'));
const instructionsOf = (name: string) => instructions.filter((line) => line.startsWith(`${name} `));
const lastStage = instructions.slice(instructions.findLastIndex((line) => line.startsWith('FROM ')));

describe('the Dockerfile', () => {
  it('uses no base images but a pinned Node.js and scratch', () => {
    const bases = instructionsOf('FROM').map((line) => line.split(' ')[1]!);
    const stages = instructionsOf('FROM').map((line) => / AS (\S+)$/.exec(line)?.[1]);
    expect(bases.filter((base) => !stages.includes(base))).toEqual(['node:24-bookworm-slim', 'scratch']);
  });

  it('has labels and a version that match package.json', () => {
    const labels = [
      ...instructionsOf('LABEL')
        .join(' ')
        .matchAll(/org\.opencontainers\.image\.(\w+)="([^"]*)"/g),
    ];
    const { version, description, license } = JSON.parse(read('package.json')) as Record<string, string>;
    expect(Object.fromEntries(labels.map(([, key, value]) => [key, value]))).toEqual({
      title: 'Lettermill',
      description,
      licenses: license,
      version: '$VERSION',
    });
    expect(instructionsOf('ARG')).toEqual([`ARG VERSION=${version}`]);
    const overlay = read('k8s/overlays/production/kustomization.yaml');
    expect(/^ {4}newTag: (.+)$/m.exec(overlay)?.[1]).toBe(version);
  });

  it('ends as an unprivileged user, by number', () => {
    expect(lastStage.filter((line) => line.startsWith('USER '))).toEqual(['USER 1000:1000']);
    const after = lastStage.slice(lastStage.indexOf('USER 1000:1000'));
    expect(after.filter((line) => /^(RUN|COPY|ADD)/.test(line))).toEqual([]);
  });

  it('creates the data folder for its owner alone', () => {
    expect(instructionsOf('RUN').join(' ')).toContain('install -d -o 1000 -g 1000 -m 700 /system/data ');
  });

  it('copies into the image only what runs, owned by root', () => {
    const copied = lastStage.filter((line) => line.startsWith('COPY '));
    expect(copied).toEqual([
      'COPY --from=system /system /',
      'COPY --from=runtime-dependencies /app/node_modules node_modules',
      'COPY package.json LICENSE ./',
      'COPY --from=build /app/dist dist',
    ]);
    expect([...instructionsOf('ADD'), ...lastStage.filter((line) => line.startsWith('RUN '))]).toEqual([]);
    expect(lastStage[0]).toBe('FROM scratch');
  });

  it('removes the TypeScript compiler, and no licence', () => {
    const [prune] = instructionsOf('RUN').filter((run) => run.includes('npm prune --omit=dev'));
    expect(prune).toMatch(/rm -rf .*\bnode_modules\/typescript\b/);
    for (const name of ["'licen[cs]e*'", "'notice*'", "'copying*'"]) expect(prune).toContain(`! -iname ${name}`);
  });

  it('starts and checks health without a shell, and without tools that the image lacks', () => {
    for (const name of ['ENTRYPOINT', 'CMD'])
      expect(() => JSON.parse(instructionsOf(name)[0]!.slice(name.length))).not.toThrow();
    const [check] = instructionsOf('HEALTHCHECK');
    expect(JSON.parse(check!.slice(check!.indexOf(' CMD ') + 5))).toEqual(['node', 'dist/scripts/image/health.js']);
    for (const script of ['start', 'health']) expect(existsSync(join(ROOT, `scripts/image/${script}.ts`))).toBe(true);
  });

  it('installs what the lock file says, without scripts of packages', () => {
    for (const line of instructionsOf('RUN').filter((run) => run.includes('npm '))) {
      expect(line).toContain('--ignore-scripts');
      expect(line).not.toContain('npm install');
    }
  });

  it('copies only what .dockerignore lets through', () => {
    const sent = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    const sources = instructionsOf('COPY')
      .filter((line) => !line.includes('--from='))
      .flatMap((line) => line.split(' ').slice(1, -1));
    expect(read('.dockerignore')).toMatch(/^\*$/m);
    expect(sources.filter((source) => !sent.includes(source))).toEqual([]);
    expect(sent.filter((source) => !existsSync(join(ROOT, source)))).toEqual([]);
  });
});
