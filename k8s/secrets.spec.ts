import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig, SERVICES, type Role } from '@lettermill/config';
import { PROGRAMS } from '../scripts/image/programs';
import { SECRETS_OF, SERVER_SECRETS, SHARED_SECRETS } from './secrets';
import { WORKLOADS, type Document, type PodSpec } from './documents';
import { describeOverlays, ROOT } from './testing';

type Variables = Record<string, string>;

/** The Secrets that operators create by the commands of the page, by name. */
function secretsOfPage(): Map<string, Variables> {
  const page = readFileSync(join(ROOT, 'docs/containers.md'), 'utf8').replace(/\\\n/g, ' ');
  const commands = [...page.matchAll(/create secret generic (\S+) (.*)/g)];
  const literals = (text: string) => [...text.matchAll(/--from-literal=(\w+)=("[^"]*"|'[^']*'|\S+)/g)];
  const value = (text: string) =>
    text
      .replace(/^['"]|['"]$/g, '')
      .replace(/\$\(openssl rand[^)]*\)/, 'a-word-that-nobody-guesses-in-a-thousand-years');
  return new Map(
    commands.map(([, name, rest]) => [name!, Object.fromEntries(literals(rest!).map(([, k, v]) => [k!, value(v!)]))]),
  );
}

const decoded = ({ data = {} }: Document): Variables =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));

describeOverlays('the secrets of the Kubernetes manifests', ({ name, of }) => {
  let secrets: Map<string, Variables>;
  const workloads = () =>
    of(...WORKLOADS).map(({ metadata, spec }) => ({ who: metadata.name, pod: spec.template.spec }));
  const envSources = (pod: PodSpec) => pod.containers.flatMap(({ envFrom = [] }) => envFrom);
  const secretsOf = (pod: PodSpec) =>
    envSources(pod).flatMap(({ secretRef }) => (secretRef ? [secrets.get(secretRef.name)!] : []));
  beforeAll(() => {
    const made = of('Secret').map((secret): [string, Variables] => [secret.metadata.name, decoded(secret)]);
    secrets = name === 'local' ? new Map(made) : secretsOfPage();
    expect(made).toHaveLength(name === 'local' ? secrets.size : 0);
  });

  it("are all created by the page's commands or the overlay, and all used by a workload", () => {
    const read = workloads().flatMap(({ pod }) => envSources(pod).flatMap(({ secretRef }) => secretRef?.name ?? []));
    expect([...new Set(read)].sort()).toEqual([...secrets.keys()].sort());
    expect(secrets.size).toBeGreaterThan(3);
  });

  it('are given to the workloads that need them, and to no other', () => {
    expect(workloads().map(({ who }) => who)).toEqual(expect.arrayContaining([...SERVICES, 'init']));
    for (const { who, pod } of workloads()) {
      const variables = secretsOf(pod).flatMap((secret) => Object.keys(secret));
      expect([who, variables.filter((variable) => !SECRETS_OF[who]!.includes(variable))]).toEqual([who, []]);
      // Optional: without DKIM_KEY_SECRET, DKIM keys are encrypted with the internal secret.
      const needed = SECRETS_OF[who]!.filter((variable) => variable !== 'DKIM_KEY_SECRET');
      expect([who, variables]).toEqual([who, expect.arrayContaining(needed)]);
    }
  });

  it('are passed by required envFrom references alone, and are in no ConfigMap', () => {
    for (const { who, pod } of workloads()) {
      const secretVolumes = (pod.volumes ?? []).filter((volume) => 'secret' in volume || 'projected' in volume);
      const singleVariables = pod.containers.flatMap(({ env = [] }) => env).filter((one) => 'valueFrom' in one);
      expect([who, secretVolumes, singleVariables]).toEqual([who, [], []]);
      expect([who, envSources(pod).filter(({ secretRef }) => secretRef?.optional)]).toEqual([who, []]);
    }
    const secret = new Set([...secrets.values()].flatMap((variables) => Object.keys(variables)));
    for (const { data = {} } of of('ConfigMap'))
      expect(Object.keys(data).filter((key) => secret.has(key) || /SECRET|KEY|PASSWORD/.test(key))).toEqual([]);
  });

  it('configure every process, and a service does not start if a required one is empty', () => {
    const config = of('ConfigMap').find(({ metadata }) => metadata.name.startsWith('lettermill-'))!;
    for (const { who, pod } of workloads().filter(({ who }) => Object.hasOwn(PROGRAMS, who))) {
      expect(envSources(pod)[0]).toEqual({ configMapRef: { name: config.metadata.name } });
      const given: Variables = Object.assign({}, config.data, ...secretsOf(pod)) as Variables;
      expect(() => readConfig(given, who as Role)).not.toThrow();
      const required = [
        ...(who === 'init' ? SERVER_SECRETS : SHARED_SECRETS),
        ...(who === 'dispatch' ? ['SMTP_URL'] : []),
      ];
      for (const variable of [...SERVICES, 'init'].includes(who) ? required : [])
        expect(() => readConfig({ ...given, [variable]: '' }, who as Role)).toThrow(variable);
    }
  });
});
