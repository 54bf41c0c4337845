/** The fields of manifests that these suites read, by kind. The check against the schemas of Kubernetes covers all fields. */
interface Specs {
  Deployment: WorkloadSpec;
  StatefulSet: WorkloadSpec;
  Job: WorkloadSpec;
  Service: { type?: string; selector: Labels; ports: { name: string; port: number; targetPort: string }[] };
  NetworkPolicy: PolicySpec;
  PodDisruptionBudget: object;
  HorizontalPodAutoscaler: object;
  /** This and the next kind belong to the Prometheus operator. */
  PrometheusRule: object;
  ServiceMonitor: { jobLabel: string; selector: { matchLabels: Labels }; endpoints: { port: string }[] };
  /** A kind of KEDA. */
  ScaledObject: {
    scaleTargetRef: { name: string };
    maxReplicaCount: number;
    triggers: { metadata: { topic: string; consumerGroup: string } }[];
  };
}

export type Labels = Record<string, string>;

export interface Document<Kind extends string = string> {
  apiVersion: string;
  kind: Kind;
  metadata: { name: string; namespace?: string; labels?: Labels };
  spec: Kind extends keyof Specs ? Specs[Kind] : unknown;
  data?: Record<string, string>;
  stringData?: Record<string, string>;
  automountServiceAccountToken?: boolean;
}

export const WORKLOADS = ['Deployment', 'StatefulSet', 'Job'] as const;

interface WorkloadSpec {
  replicas?: number;
  strategy?: { rollingUpdate: object };
  progressDeadlineSeconds?: number;
  activeDeadlineSeconds?: number;
  template: { metadata: { labels: Labels }; spec: PodSpec };
}

export interface PodSpec {
  containers: Container[];
  initContainers?: Container[];
  volumes?: { hostPath?: object }[];
  securityContext: { runAsUser: number };
  terminationGracePeriodSeconds?: number;
  topologySpreadConstraints?: object[];
  hostNetwork?: boolean;
  hostPID?: boolean;
  hostIPC?: boolean;
}

interface Container {
  image: string;
  imagePullPolicy: string;
  ports?: { name: string; containerPort: number }[];
  env?: object[];
  envFrom?: Source[];
  resources: { limits: { cpu?: string } };
  securityContext: object;
  startupProbe?: { periodSeconds: number; failureThreshold: number };
  livenessProbe?: object;
}

/** Source of environment variables of a container. */
export interface Source {
  configMapRef?: { name: string };
  secretRef?: { name: string; optional?: boolean };
}

interface PolicySpec {
  podSelector: Selector;
  policyTypes: string[];
  ingress?: PolicyRule[];
  egress?: PolicyRule[];
}

export interface Selector {
  matchLabels?: Labels;
  matchExpressions?: { key: string; operator: string; values: string[] }[];
}

export interface PolicyRule {
  from?: Peer[];
  to?: Peer[];
  ports?: { protocol: string; port: number | string; endPort?: number }[];
}

export interface Peer {
  podSelector?: Selector;
  namespaceSelector?: Selector;
  ipBlock?: { cidr: string };
}
