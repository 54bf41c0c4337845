import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TOPICS, topicsOf } from '@lettermill/events';
import { DEFAULT_PORTS, OWNERS, readConfig, SERVICES } from '@lettermill/config';
import { PORTS } from '../scripts/image/programs';
import { WORKLOADS } from './documents';
import { selectedBy } from './flows';
import { schemaFaults } from './schema';
import { describeOverlays, parseYaml, podsOf, ROOT } from './testing';

const read = (path: string) => readFileSync(join(ROOT, 'observability', path), 'utf8');

/** The topics that a service has handlers for. */
function topicsReadBy(app: string): string[] {
  const files = readdirSync(join(ROOT, 'apps', app, 'src'), { recursive: true, encoding: 'utf8' });
  const consumers = files.filter((path) => path.endsWith('.consumer.ts'));
  const texts = consumers.map((path) => readFileSync(join(ROOT, 'apps', app, 'src', path), 'utf8'));
  const named = texts.flatMap((text) => [...text.matchAll(/\bTOPICS\.(\w+)/g)]);
  return [...new Set(named.flatMap(([, name]) => topicsOf(TOPICS[name as keyof typeof TOPICS])))];
}

describeOverlays('the Kubernetes manifests', ({ name, all, of, named }) => {
  it('match the schemas of Kubernetes, without unknown fields', () => {
    expect(schemaFaults(all())).toEqual([]);
  }, 180_000);

  it('fail the schema check if a field is misspelt', () => {
    const [document] = structuredClone(of('Deployment'));
    const [container] = document!.spec.template.spec.containers;
    Object.assign(container!, { livenesProbe: container!.livenessProbe });
    expect(schemaFaults([document!])).toEqual([expect.stringContaining('livenesProbe')]);
  }, 180_000);

  it('put everything in one namespace with restricted pod security', () => {
    expect(of('Namespace')).toMatchObject([
      { metadata: { name: 'lettermill', labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } } },
    ]);
    for (const { kind, metadata } of all())
      if (kind !== 'Namespace') expect([kind, metadata]).toMatchObject([kind, { namespace: 'lettermill' }]);
  });

  it('run no container as root, with a token, with extra privileges or a writable image', () => {
    for (const { metadata, spec } of of(...WORKLOADS)) {
      const pod = spec.template.spec;
      expect([metadata.name, pod]).toMatchObject([
        metadata.name,
        {
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          serviceAccountName: metadata.name,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
        },
      ]);
      expect(pod.securityContext.runAsUser).toBeGreaterThan(0);
      expect(named('ServiceAccount', metadata.name)?.automountServiceAccountToken).toBe(false);
      expect([pod.hostNetwork, pod.hostPID, pod.hostIPC, pod.initContainers]).toEqual(Array(4).fill(undefined));
      for (const volume of pod.volumes ?? []) expect(volume.hostPath).toBeUndefined();
      for (const { securityContext } of pod.containers)
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
    }
  });

  it('set resource requests and a memory limit, and pull no image that may change', () => {
    for (const { metadata, spec } of of(...WORKLOADS)) {
      for (const { image, imagePullPolicy, resources } of spec.template.spec.containers) {
        expect(image).toMatch(/:[\w][\w.-]*$/);
        expect(image).not.toMatch(/:latest$/);
        expect(imagePullPolicy).toBe('IfNotPresent');
        expect([metadata.name, resources]).toMatchObject([
          metadata.name,
          {
            requests: { cpu: expect.any(String), memory: expect.any(String) },
            limits: { memory: expect.any(String) },
          },
        ]);
        expect(resources.limits.cpu).toBeUndefined();
      }
    }
  });

  it('probe liveness without dependencies, readiness with them, and allow 30 minutes to start', () => {
    const deployments = of('Deployment');
    expect(deployments.map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining([...SERVICES]));
    for (const { metadata, spec } of deployments) {
      const [container] = spec.template.spec.containers;
      const at = (path: string) => ({ httpGet: { path, port: 'http' } });
      expect([metadata.name, container]).toMatchObject([
        metadata.name,
        {
          args: [metadata.name],
          startupProbe: at('/health/live'),
          livenessProbe: at('/health/live'),
          readinessProbe: at('/health/ready'),
          ports: expect.arrayContaining([{ name: 'http', containerPort: PORTS[metadata.name] }]),
        },
      ]);
      // If a pod is ended while it waits for Kafka or MongoDB, Kubernetes restarts it after longer and longer delays.
      const { periodSeconds, failureThreshold } = container!.startupProbe!;
      const startSeconds = periodSeconds * failureThreshold;
      expect(startSeconds).toBeGreaterThanOrEqual(1800);
      // A rollout, and a Job that upgrades a store as well, must not count as failed before that.
      expect(spec.progressDeadlineSeconds).toBeGreaterThan(startSeconds);
      for (const job of of('Job')) expect(job.spec.activeDeadlineSeconds).toBeGreaterThan(startSeconds);
    }
  });

  it('replace pods one by one, leave time to drain, and spread replicas over zones and nodes', () => {
    const config = of('ConfigMap').find(({ metadata }) => metadata.name.startsWith('lettermill'))!.data!;
    for (const service of SERVICES) {
      const { spec } = named('Deployment', service)!;
      expect(spec.strategy!.rollingUpdate).toEqual({ maxSurge: 1, maxUnavailable: 0 });
      expect(Number(config.DRAIN_SECONDS)).toBeGreaterThanOrEqual(5);
      const { terminationGracePeriodSeconds, topologySpreadConstraints } = spec.template.spec;
      expect(terminationGracePeriodSeconds).toBeGreaterThan(Number(config.DRAIN_SECONDS) + 10);
      const labels = { 'app.kubernetes.io/name': service };
      expect(topologySpreadConstraints).toMatchObject(
        ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'].map((topologyKey) => ({
          topologyKey,
          labelSelector: { matchLabels: labels },
        })),
      );
      expect(named('PodDisruptionBudget', service)?.spec).toMatchObject({
        maxUnavailable: 1,
        selector: { matchLabels: labels },
      });
    }
  });

  it('expose each service by the name and port that the gateway uses, inside the cluster only', () => {
    for (const service of SERVICES) {
      const { spec } = named('Service', service)!;
      expect(spec.ports).toEqual([{ name: 'http', port: DEFAULT_PORTS[service], targetPort: 'http' }]);
    }
    for (const { spec } of of('Service')) {
      expect(spec.type ?? 'ClusterIP').toBe('ClusterIP');
      expect(
        podsOf(all()).filter(({ labels }) => Object.entries(spec.selector).every(([k, v]) => labels[k] === v)),
      ).toHaveLength(1);
    }
    expect(of('Ingress', 'Gateway')).toEqual([]);
  });

  it('scale the gateway by its load', () => {
    expect(named('HorizontalPodAutoscaler', 'gateway')?.spec).toMatchObject({
      scaleTargetRef: { kind: 'Deployment', name: 'gateway' },
    });
    // Otherwise each apply would undo the autoscaler's changes.
    expect(named('Deployment', 'gateway')!.spec.replicas).toBeUndefined();
  });

  it('add metrics, alerts and the dashboard with the monitoring component', () => {
    const monitored = name === 'production with components';
    expect(of('ServiceMonitor', 'PrometheusRule')).toHaveLength(monitored ? 2 : 0);
    if (!monitored) return;
    // The same rules that are tested and documented, with the job name that they query.
    expect(of('PrometheusRule')[0]!.spec).toEqual(parseYaml(read('prometheus/lettermill.rules.yml'))[0]);
    const { jobLabel, selector, endpoints } = named('ServiceMonitor', 'lettermill')!.spec;
    const scraped = of('Service').filter(({ metadata }) =>
      Object.entries(selector.matchLabels).every(([key, value]) => metadata.labels?.[key] === value),
    );
    expect(scraped.map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining([...SERVICES]));
    for (const { metadata, spec } of scraped) {
      expect(metadata.labels![jobLabel]).toBe('lettermill');
      expect(spec.ports.map((port) => port.name)).toEqual([endpoints[0]!.port]);
    }
    const dashboards = of('ConfigMap').filter(({ metadata }) => metadata.labels?.grafana_dashboard === '1');
    expect(dashboards.map(({ data }) => data)).toEqual([
      { 'lettermill.json': read('grafana/dashboards/lettermill.json') },
    ]);
    // Only the namespace of Prometheus may read the metrics.
    const policy = named('NetworkPolicy', 'metrics')!;
    expect(selectedBy(policy, podsOf(all())).sort()).toEqual([...SERVICES].sort());
    expect(policy.spec).toMatchObject({
      policyTypes: ['Ingress'],
      ingress: [
        {
          from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
          ports: [{ protocol: 'TCP', port: 'http' }],
        },
      ],
    });
  });

  it('scale each consumer by the lag of every topic that it reads', () => {
    const scaled = of('ScaledObject');
    expect(scaled.map(({ metadata }) => metadata.name).sort()).toEqual(
      name === 'production with components' ? [...OWNERS].sort() : [],
    );
    for (const { metadata, spec } of scaled) {
      expect(named('Deployment', spec.scaleTargetRef.name)!.spec.replicas).toBeUndefined();
      expect(spec.maxReplicaCount).toBeLessThanOrEqual(readConfig({}, 'standalone').kafka.partitions);
      expect(spec.triggers.map(({ metadata: { topic } }) => topic).sort()).toEqual(topicsReadBy(metadata.name).sort());
      for (const { metadata: trigger } of spec.triggers) {
        expect(trigger.consumerGroup).toBe(`${metadata.name}.${trigger.topic}`);
      }
    }
  });
});
