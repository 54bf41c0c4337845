import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const ROOT = join(__dirname, '..');
const SKIPPED_FOLDERS = ['node_modules', 'dist', 'dist.making', 'data', 'coverage', '.git'];

function filesBelow(folder: string, ending: RegExp): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED_FOLDERS.includes(entry.name) ? [] : filesBelow(path, ending);
    return ending.test(entry.name) ? [path] : [];
  });
}

const read = (path: string) => readFileSync(path, 'utf8');
const withoutCode = (text: string) => text.replace(/^```[^]*?^```/gm, '').replace(/`[^`\n]*`/g, '');

/** The anchors that GitHub gives to the headings of a page. */
function anchorsOf(path: string): string[] {
  const headings = read(path)
    .replace(/^```[^]*?^```/gm, '')
    .matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\- _]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function targetExists(page: string, link: string): boolean {
  const [path, anchor] = link.split('#') as [string, string?];
  const target = path === '' ? page : resolve(dirname(page), path);
  return existsSync(target) && (anchor === undefined || anchorsOf(target).includes(anchor));
}

describe('links', () => {
  const pages = filesBelow(ROOT, /\.md$/);

  it.each(pages.map((page) => [relative(ROOT, page), page]))('in %s lead to existing targets', (_name, page) => {
    const links = [...withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!);
    const ours = links.filter((link) => !/^[a-z]+:/.test(link));
    expect(ours.filter((link) => !targetExists(page, link))).toEqual([]);
  });

  it('from code to docs/ lead to existing files', () => {
    const sources = ['apps', 'libs', 'scripts', 'test', 'k8s', 'observability', 'bench'].flatMap((folder) =>
      filesBelow(join(ROOT, folder), /\.(ts|mjs|ya?ml|sh)$/),
    );
    const named = sources.flatMap((path) => [...read(path).matchAll(/\bdocs\/[\w./-]+\.(?:md|json)\b/g)]);
    const names = [...new Set(named.map(([name]) => name))];
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => !existsSync(join(ROOT, name)))).toEqual([]);
  });
});
