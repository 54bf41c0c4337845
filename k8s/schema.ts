import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Document } from './documents';
import { ROOT, TOOLS } from './testing';

/** Custom resources, which have no schema in `kubernetes-types`. */
const CUSTOM_RESOURCES = /^(keda\.sh|monitoring\.coreos\.com)\//;

const sourceOf = (document: Document, index: number) => {
  const group = document.apiVersion.replace(/\.k8s\.io\//, '/').replace(/^v1$/, 'core/v1');
  return `export const d${index}: import('kubernetes-types/${group}').${document.kind} = ${JSON.stringify(document)};`;
};

/** TypeScript's complaints about the documents as literals of Kubernetes' types: unknown fields and wrong types. */
export function schemaFaults(documents: Document[]): string[] {
  const known = documents.filter(({ apiVersion }) => !CUSTOM_RESOURCES.test(apiVersion));
  const compilerOptions = {
    noEmit: true,
    strict: true,
    types: [],
    lib: ['es2022'],
    module: 'node20',
    moduleResolution: 'node16',
    paths: { 'kubernetes-types/*': [join(TOOLS, 'node_modules/kubernetes-types/*')] },
  };
  const directory = mkdtempSync(join(tmpdir(), 'schema-'));
  try {
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['rendered.ts'] }));
    writeFileSync(join(directory, 'rendered.ts'), known.map(sourceOf).join('\n'));
    const tsc = [join(ROOT, 'node_modules/typescript/bin/tsc'), '--pretty', 'false', '-p', directory];
    const { status, stdout } = spawnSync(process.execPath, tsc, { encoding: 'utf8' });
    if (status === 0) return [];
    return stdout
      .trim()
      .split('\n')
      .map((line) => {
        const document = known[Number(/\((\d+),/.exec(line)?.[1]) - 1];
        return `${document?.kind ?? ''} ${document?.metadata.name ?? ''}: ${line}`;
      });
  } finally {
    rmSync(directory, { recursive: true });
  }
}
