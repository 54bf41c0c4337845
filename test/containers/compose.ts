import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseYaml, ROOT } from '../../k8s/testing';
import { PROGRAMS } from '../../scripts/image/programs';

export interface ComposeService {
  image: string;
  build?: object;
  command?: string[];
  environment?: Record<string, string>;
  ports?: { host_ip: string; published: string; target: number }[];
  volumes?: string[];
  profiles?: string[];
  depends_on?: Record<string, { condition: string }>;
  [more: string]: unknown;
}

interface ComposeFile {
  services: Record<string, ComposeService>;
  volumes: Record<string, unknown>;
}

/** The value that results if the user sets no environment variables. */
export const withDefaults = (value: string) => value.replace(/\$\{\w+:-([^}]*)\}/g, '$1');

/** docker-compose.yml; `ours` are the services that run our image. */
export function readCompose(): ComposeFile & { ours: [string, ComposeService][] } {
  const [file] = parseYaml<ComposeFile>(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'));
  return { ...file!, ours: Object.entries(file!.services).filter(([name]) => Object.hasOwn(PROGRAMS, name)) };
}
