import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { WORKLOADS, type Document, type Labels } from './documents';

export const ROOT = join(__dirname, '..');
export const TOOLS = join(ROOT, 'tools');

/** The part of a workload's template that decides which pods may connect to it. */
export interface Pod {
  name: string;
  labels: Labels;
  ports: { name: string; containerPort: number }[];
}

/** Programs that render manifests: kubectl includes kustomize. */
const RENDERERS = [
  ['kubectl', 'kustomize'],
  ['kustomize', 'build'],
];
const renderer = RENDERERS.find(([program, command]) => spawnSync(program!, [command!, '--help']).status === 0);

/** What is missing to test manifests; undefined if nothing is, and always in CI, where a missing program must fail the suites. */
function missingTool(...needed: ('renderer' | 'tools')[]): string | undefined {
  if (process.env.CI) return undefined;
  if (needed.includes('renderer') && !renderer) return 'kubectl or kustomize';
  return existsSync(join(TOOLS, 'node_modules')) ? undefined : 'npm ci --prefix tools';
}

/** Runs a suite about manifests, or reports it as left out if something that it needs is missing. */
export function describeIfInstalled(what: string, needed: Parameters<typeof missingTool>, suite: () => void): void {
  const lack = missingTool(...needed);
  if (lack) it(`left out: ${what} needs ${lack}`, () => expect(process.env.CI).toBeFalsy());
  else suite();
}

/** Parses with the package `yaml` of tools/, with merge keys. */
export function parseYaml<T>(text: string): T[] {
  const { parseAllDocuments } = createRequire(join(TOOLS, 'package.json'))('yaml') as {
    parseAllDocuments(text: string, options: object): { errors: Error[]; toJS(): T }[];
  };
  return parseAllDocuments(text, { merge: true }).map((document) => {
    if (document.errors.length > 0) throw document.errors[0]!;
    return document.toJS();
  });
}

function render(directory: string): Document[] {
  if (!renderer) throw new Error('neither kubectl nor kustomize is here');
  const [program, command] = renderer;
  const { status, stdout, stderr } = spawnSync(program!, [command!, directory], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return parseYaml<Document>(stdout);
}

/** The production overlay as operators with KEDA and Prometheus use it. */
function renderWithComponents(): Document[] {
  const directory = mkdtempSync(join(tmpdir(), 'overlay-'));
  const fromDirectory = (path: string) => relative(directory, join(ROOT, 'k8s', path));
  const overlay = {
    namespace: 'lettermill',
    resources: [fromDirectory('overlays/production')],
    components: [fromDirectory('components/keda'), fromDirectory('components/monitoring')],
  };
  writeFileSync(join(directory, 'kustomization.yaml'), JSON.stringify(overlay));
  try {
    return render(directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** The pods of the workloads, with the labels and ports by which services and policies select them. */
export function podsOf(documents: Document[]): Pod[] {
  return ofKinds(documents, WORKLOADS).map(({ metadata, spec: { template } }) => ({
    name: metadata.name,
    labels: template.metadata.labels,
    ports: template.spec.containers[0]!.ports ?? [],
  }));
}

function ofKinds<Kind extends string>(documents: Document[], kinds: readonly Kind[]): Document<Kind>[] {
  return documents.filter(({ kind }) => kinds.some((wanted) => wanted === kind)) as Document<Kind>[];
}

/** The overlays by name, each with the function that renders it. */
const OVERLAYS: [string, () => Document[]][] = [
  ['local', () => render(join(ROOT, 'k8s/overlays/local'))],
  ['production', () => render(join(ROOT, 'k8s/overlays/production'))],
  ['production with components', renderWithComponents],
];

/** The rendered documents of one overlay; available in tests and hooks. */
export interface Overlay {
  readonly name: string;
  all(): Document[];
  of<Kind extends string>(...kinds: Kind[]): Document<Kind>[];
  named<Kind extends string>(kind: Kind, name: string): Document<Kind> | undefined;
}

/** Defines a suite for every overlay. */
export function describeOverlays(what: string, suite: (overlay: Overlay) => void): void {
  describeIfInstalled(what, ['renderer', 'tools'], () =>
    describe.each(OVERLAYS)(`${what}, %s`, (name, documents) => {
      let all: Document[];
      const of = <Kind extends string>(...kinds: Kind[]) => ofKinds(all, kinds);
      beforeAll(() => (all = documents()));
      suite({
        name,
        all: () => all,
        of,
        named: (kind, wanted) => of(kind).find(({ metadata }) => metadata.name === wanted),
      });
    }),
  );
}
