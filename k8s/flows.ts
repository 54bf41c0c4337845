import type { Document, Labels, Peer, PolicyRule, Selector } from './documents';
import type { Pod } from './testing';

type Policy = Document<'NetworkPolicy'>;

function selects({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values }) => {
      if (operator !== 'In') throw new Error(`no reading of ${operator}`);
      return values.includes(labels[key] ?? '');
    })
  );
}

/** Only peers of the same namespace: addresses and other namespaces are not pods of ours. */
const admitsPeer = (peers: Peer[] | undefined, { labels }: Pod) =>
  peers === undefined ||
  peers.some(({ podSelector, namespaceSelector }) => !namespaceSelector && podSelector && selects(podSelector, labels));

const admitsPort = (ports: PolicyRule['ports'], { name, containerPort }: Pod['ports'][number]) =>
  ports === undefined ||
  ports.some(
    ({ port, endPort }) =>
      port === name || (typeof port === 'number' && containerPort >= port && containerPort <= (endPort ?? port)),
  );

function allows(direction: 'Ingress' | 'Egress', policies: Policy[], pod: Pod, other: Pod, port: Pod['ports'][number]) {
  const applicable = policies.filter(
    ({ spec }) => spec.policyTypes.includes(direction) && selects(spec.podSelector, pod.labels),
  );
  const rules = applicable.flatMap(({ spec }) => (direction === 'Ingress' ? spec.ingress : spec.egress) ?? []);
  return (
    applicable.length === 0 ||
    rules.some(
      (rule) => admitsPeer(direction === 'Ingress' ? rule.from : rule.to, other) && admitsPort(rule.ports, port),
    )
  );
}

/** The pods that a policy is for. */
export function selectedBy({ spec }: Policy, pods: Pod[]): string[] {
  return pods.filter(({ labels }) => selects(spec.podSelector, labels)).map(({ name }) => name);
}

/** Every connection from one pod to a port of another that the policies allow, as `a -> b:port`. */
export function allowedFlows(pods: Pod[], policies: Policy[]): string[] {
  const open: string[] = [];
  for (const from of pods) {
    for (const to of pods) {
      for (const port of to.ports) {
        if (allows('Egress', policies, from, to, port) && allows('Ingress', policies, to, from, port))
          open.push(`${from.name} -> ${to.name}:${port.name}`);
      }
    }
  }
  return open;
}
