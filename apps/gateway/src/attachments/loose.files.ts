import type { Json, Level } from '../send/levels';

/** An attachment of the JSON as far as it can be read, right or wrong. */
export interface LooseFile {
  pointer: string;
  ref?: string;
  url?: string;
  base64?: string;
  cid?: string;
  /** Whether it has a file_name, right or wrong. */
  named: boolean;
}

/** Attachments of one level; more of them are a fault of their own, and not looked at. */
const MOST_FILES = 10;

function attachmentsOf(one: unknown): unknown[] {
  const { attachments } = (one ?? {}) as { attachments?: unknown };
  return Array.isArray(attachments) ? (attachments as unknown[]) : [];
}

/** What is read of the attachments at a level. `wrong` has the pointers of what is known to be wrong: such `data` is none. */
export function looseFiles(level: Level, wrong: ReadonlySet<string>): LooseFile[] {
  const attachments = attachmentsOf(level.one).slice(0, MOST_FILES);
  return attachments.map((one, index) => {
    const pointer = `${level.pointer}/attachments/${index}`;
    const { file_ref: ref, data, file_name: name, cid } = (one ?? {}) as Record<string, unknown>;
    const file: LooseFile = { pointer, named: name !== undefined };
    if (typeof cid === 'string' && !wrong.has(`${pointer}/cid`)) file.cid = cid;
    if (typeof ref === 'string') return { ...file, ref };
    if (typeof data !== 'string' || wrong.has(`${pointer}/data`)) return file;
    return data.startsWith('https://') ? { ...file, url: data } : { ...file, base64: data };
  });
}

/**
 * The uploads that the request names nowhere, be it in a place that is not looked at: those are attached to all. Plain loops, as a body
 * can have as many attachments as it has bytes for.
 */
export function unnamedParts<T extends { part: string }>(body: Json, uploads: T[] = []): T[] {
  const unnamed = new Set(uploads.map(({ part }) => part));
  const { to } = body;
  const recipients = Array.isArray(to) ? (to as unknown[]) : [to];
  strike(body, unnamed);
  for (const one of unnamed.size > 0 ? recipients : []) strike(one, unnamed);
  return uploads.filter(({ part }) => unnamed.has(part));
}

function strike(one: unknown, unnamed: Set<string>): void {
  for (const attachment of attachmentsOf(one)) {
    const ref = (attachment as { file_ref?: unknown } | null)?.file_ref;
    if (typeof ref === 'string') unnamed.delete(ref);
  }
}
