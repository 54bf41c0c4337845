import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_PORTS, SERVICES } from '@lettermill/config';
import { parseYaml, ROOT, describeIfInstalled } from '../../k8s/testing';
import { PROGRAMS } from '../../scripts/image/programs';
import { readCompose, withDefaults } from './compose';

interface Scrape {
  job_name: string;
  dns_sd_configs: { names: string[]; type: string; port: number }[];
}

const observability = (path: string) => readFileSync(join(ROOT, 'observability', path), 'utf8');

const COMPLETED = { condition: 'service_completed_successfully' };

const heapOption = () => /NODE_OPTIONS=(\S+)/.exec(readFileSync(join(ROOT, 'k8s/base/kustomization.yaml'), 'utf8'))![1];

describeIfInstalled('docker-compose.yml', ['tools'], () => {
  describe('docker-compose.yml', () => {
    const { services, volumes, ours } = readCompose();

    it('runs every service by its name, from one image', () => {
      expect(ours.map(([name]) => name)).toEqual(expect.arrayContaining([...SERVICES, 'init', 'mailbox', 'welcome']));
      for (const [name, { command, image }] of ours) expect([command, image]).toEqual([[name], 'lettermill:dev']);
    });

    it('builds the image once, for init, which all others wait for', () => {
      const built = Object.entries(services).filter(([, { build }]) => build !== undefined);
      expect(built.map(([name, { image }]) => [name, image])).toEqual([['init', 'lettermill:dev']]);
      const before = (name: string): string[] =>
        Object.keys(services[name]!.depends_on ?? {}).flatMap((needed) => [needed, ...before(needed)]);
      for (const [name] of ours) if (name !== 'init') expect(before(name)).toContain('init');
    });

    it('publishes ports on loopback only, unless the user opens the gateway', () => {
      const published = Object.entries(services).flatMap(([name, { ports = [] }]) =>
        ports.map((port) => ({ name, ...port })),
      );
      for (const { name, host_ip } of published) {
        expect(withDefaults(host_ip)).toBe('127.0.0.1');
        if (name !== 'gateway') expect(host_ip).toBe('127.0.0.1');
      }
      expect(published.filter(({ name }) => name === 'gateway')).toMatchObject([{ target: DEFAULT_PORTS.gateway }]);
    });

    it('lets none of our services write to its image or gain privileges', () => {
      for (const [, service] of ours)
        expect(service).toMatchObject({
          read_only: true,
          cap_drop: ['ALL'],
          security_opt: ['no-new-privileges:true'],
          tmpfs: ['/tmp'],
        });
    });

    it('limits the memory of our services, and their heaps, as Kubernetes does', () => {
      expect(ours.filter(([, { mem_limit }]) => mem_limit === undefined)).toEqual([]);
      for (const name of SERVICES) {
        const base = readFileSync(join(ROOT, 'k8s', 'base', `${name}.yaml`), 'utf8');
        const [, memory] = /limits:\s+memory: (\d+)Mi/.exec(base)!;
        const { mem_limit, environment } = services[name]!;
        expect([name, mem_limit, environment]).toMatchObject([name, `${memory}m`, { NODE_OPTIONS: heapOption() }]);
      }
    });

    it('limits the log of every container', () => {
      for (const service of Object.values(services))
        expect(service).toMatchObject({
          logging: { driver: 'json-file', options: { 'max-size': expect.any(String), 'max-file': expect.any(String) } },
        });
    });

    it('starts each service once what it depends on is ready', () => {
      expect(services.init!.depends_on).toEqual({
        kafka: { condition: 'service_healthy' },
        mongo: { condition: 'service_healthy' },
      });
      for (const name of SERVICES) expect([name, services[name]!.depends_on]).toEqual([name, { init: COMPLETED }]);
      for (const [, { depends_on = {} }] of Object.entries(services))
        for (const [needed, { condition }] of Object.entries(depends_on))
          if (condition === 'service_healthy' && !Object.hasOwn(PROGRAMS, needed))
            expect(services[needed]).toHaveProperty('healthcheck.test');
    });

    it('has a service that waits for each that ends: `up --wait` takes any other end for a failure', () => {
      const ending = ours.filter(([, { restart }]) => restart !== 'unless-stopped').map(([name]) => name);
      expect(ending).toEqual(['init', 'welcome']);
      for (const name of ending) {
        const waiting = Object.values(services).map(({ depends_on = {} }) => depends_on[name]);
        expect([name, waiting]).toEqual([name, expect.arrayContaining([COMPLETED])]);
      }
    });

    it('keeps persistent data in volumes', () => {
      const mounted = Object.entries(services).flatMap(([name, { volumes: own = [] }]) =>
        own.map((v) => `${name} ${v}`),
      );
      expect(mounted).toEqual(
        expect.arrayContaining(['kafka kafka:/var/lib/kafka/data', 'mongo mongo:/data/db', 'mailbox mailbox:/data']),
      );
      for (const mount of mounted) {
        const [source] = mount.split(' ')[1]!.split(':');
        // Files of the repository exist, and are mounted read-only.
        if (source!.startsWith('./'))
          expect([mount, existsSync(join(ROOT, source!))]).toEqual([mount.replace(/(:ro)?$/, ':ro'), true]);
        else expect(Object.keys(volumes)).toContain(source);
      }
    });

    it('runs Prometheus and Grafana only on request, confined like our services', () => {
      const tools = Object.entries(services).filter(([, { profiles }]) => profiles !== undefined);
      expect(tools.map(([name, { profiles }]) => [name, profiles])).toEqual(
        ['prometheus', 'grafana'].map((name) => [name, ['observability']]),
      );
      for (const [, service] of tools)
        expect(service).toMatchObject({
          read_only: true,
          cap_drop: ['ALL'],
          security_opt: ['no-new-privileges:true'],
        });
    });

    it('lets Prometheus find every replica of every service, and Grafana find Prometheus', () => {
      const [{ rule_files, scrape_configs }] = parseYaml<{ rule_files: string[]; scrape_configs: Scrape[] }>(
        observability('prometheus/prometheus.yml'),
      ) as [{ rule_files: string[]; scrape_configs: Scrape[] }];
      for (const file of rule_files) expect(parseYaml(observability(`prometheus/${file}`))[0]).toHaveProperty('groups');
      const [{ job_name, dns_sd_configs }] = scrape_configs as [Scrape];
      expect(job_name).toBe('lettermill');
      expect(dns_sd_configs.map(({ names, port, type }) => [names, port, type])).toEqual(
        SERVICES.map((service) => [[service], DEFAULT_PORTS[service], 'A']),
      );
      const [{ datasources }] = parseYaml<{ datasources: object[] }>(
        observability('grafana/provisioning/datasources/prometheus.yml'),
      ) as [{ datasources: object[] }];
      const { target } = services.prometheus!.ports![0]!;
      expect(datasources).toMatchObject([{ type: 'prometheus', url: `http://prometheus:${target}`, isDefault: true }]);
      const [{ providers }] = parseYaml<{ providers: { options: { path: string } }[] }>(
        observability('grafana/provisioning/dashboards/lettermill.yml'),
      ) as [{ providers: { options: { path: string } }[] }];
      expect(services.grafana!.volumes).toContain(
        `./observability/grafana/dashboards:${providers[0]!.options.path}:ro`,
      );
    });

    it('pins the tag of every image', () => {
      for (const { image } of Object.values(services)) expect(image).toMatch(/:(?!latest)[\w.-]+$/);
    });
  });
});
