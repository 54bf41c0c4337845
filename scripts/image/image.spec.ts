import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const read = (path: string) => readFileSync(join(__dirname, '../..', path), 'utf8');
const { name, version, description, license } = JSON.parse(read('package.json')) as Record<string, string>;

describe('the image', () => {
  const text = read('Dockerfile');
  const last = text.slice(text.lastIndexOf('\nFROM '));
  const labels = Object.fromEntries(
    [...last.matchAll(/org\.opencontainers\.image\.(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value]),
  );

  it('says what it is, as package.json has it', () => {
    expect(labels).toEqual({ title: expect.any(String), description, licenses: license, version: '$VERSION' });
    expect(labels.title!.toLowerCase()).toBe(name);
    expect(/^ARG VERSION=(.+)$/m.exec(last)?.[1]).toBe(version);
    const overlay = read('k8s/overlays/production/kustomization.yaml');
    expect(/^ {4}newTag: (.+)$/m.exec(overlay)?.[1]).toBe(version);
  });

  it('is built on nothing that changes under the hand, and holds nothing of the base image that is not taken over', () => {
    const bases = [...text.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base!);
    const stages = [...text.matchAll(/^FROM \S+ AS (\S+)$/gm)].map(([, stage]) => stage!);
    const foreign = bases.filter((base) => !stages.includes(base));
    expect(foreign).toEqual(['node:24-bookworm-slim', 'scratch']);
    expect(last).toMatch(/^\nFROM scratch\n/);
  });

  it('runs as nobody in particular, by number, and looks after its health', () => {
    expect(last).toMatch(/^USER 1000:1000$/m);
    expect(last).not.toMatch(/^RUN /m);
    expect(last).toMatch(/^HEALTHCHECK [^\n]*\\\n {2}CMD \["node", "dist\/scripts\/image\/health\.js"\]$/m);
    expect(last).toMatch(/^ENTRYPOINT \["node", "dist\/scripts\/image\/start\.js"\]$/m);
  });
});
