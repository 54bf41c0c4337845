import type { Document, Pod } from './testing';

type Labels = Record<string, string>;
interface Selector {
  matchLabels?: Labels;
  matchExpressions?: { key: string; operator: string; values: string[] }[];
}
interface Rule {
  from?: Peer[];
  to?: Peer[];
  ports?: { protocol: string; port: number | string; endPort?: number }[];
}
interface Peer {
  podSelector?: Selector;
  namespaceSelector?: Selector;
  ipBlock?: object;
}

function selects({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values }) => {
      if (operator !== 'In') throw new Error(`no reading of ${operator}`);
      return values.includes(labels[key] ?? '');
    })
  );
}

/** Peers of the same namespace alone: addresses and other namespaces are no pods of ours. */
const isPeer = (peers: Peer[] | undefined, { labels }: Pod) =>
  peers === undefined ||
  peers.some(({ podSelector, namespaceSelector }) => !namespaceSelector && podSelector && selects(podSelector, labels));

const isPort = (ports: Rule['ports'], { name, containerPort }: Pod['ports'][number]) =>
  ports === undefined ||
  ports.some(
    ({ port, endPort }) =>
      port === name || (typeof port === 'number' && containerPort >= port && containerPort <= (endPort ?? port)),
  );

function lets(direction: 'Ingress' | 'Egress', policies: Document[], at: Pod, other: Pod, port: Pod['ports'][number]) {
  const mine = policies.filter(
    ({ spec }) =>
      (spec.policyTypes as string[]).includes(direction) && selects(spec.podSelector as Selector, at.labels),
  );
  const rules = mine.flatMap(
    ({ spec }) => (direction === 'Ingress' ? spec.ingress : spec.egress) as Rule[] | undefined,
  );
  return (
    mine.length === 0 ||
    rules.some(
      (rule) => rule && isPeer(direction === 'Ingress' ? rule.from : rule.to, other) && isPort(rule.ports, port),
    )
  );
}

/** Every way from one pod to a port of another that the policies leave open, as `a -> b:port`. */
export function flows(pods: Pod[], policies: Document[]): string[] {
  const open: string[] = [];
  for (const from of pods) {
    for (const to of pods) {
      for (const port of to.ports) {
        if (lets('Egress', policies, from, to, port) && lets('Ingress', policies, to, from, port))
          open.push(`${from.name} -> ${to.name}:${port.name}`);
      }
    }
  }
  return open;
}
