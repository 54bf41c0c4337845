import type { Json } from '@lettermill/contract';
import type { RequestLevel } from './request.levels';

/** An attachment in the JSON, as far as it can be read, valid or not. */
export interface UncheckedFile {
  pointer: string;
  ref?: string;
  url?: string;
  base64?: string;
  cid?: string;
  /** Whether it has a file_name, valid or not. */
  named: boolean;
}

/** Attachments checked per level; more than these are a fault of their own, and are not checked. */
const MAX_CHECKED_FILES = 10;

function attachmentsOf(one: unknown): unknown[] {
  const { attachments } = (one ?? {}) as { attachments?: unknown };
  return Array.isArray(attachments) ? (attachments as unknown[]) : [];
}

/** Reads the attachments of a level. `wrong` has the pointers of known faults: `data` at such a pointer counts as absent. */
export function uncheckedFiles(level: RequestLevel, wrong: ReadonlySet<string>): UncheckedFile[] {
  const attachments = attachmentsOf(level.one).slice(0, MAX_CHECKED_FILES);
  return attachments.map((one, index) => {
    const pointer = `${level.pointer}/attachments/${index}`;
    const { file_ref: ref, data, file_name: name, cid } = (one ?? {}) as Record<string, unknown>;
    const file: UncheckedFile = { pointer, named: name !== undefined };
    if (typeof cid === 'string' && !wrong.has(`${pointer}/cid`)) file.cid = cid;
    if (typeof ref === 'string') return { ...file, ref };
    if (typeof data !== 'string' || wrong.has(`${pointer}/data`)) return file;
    return data.startsWith('https://') ? { ...file, url: data } : { ...file, base64: data };
  });
}

/**
 * The uploads that no attachment in the request names, not even one that is not checked: they are attached to every message. Plain loops,
 * because a body can have any number of attachments that fits into its bytes.
 */
export function unnamedParts<T extends { part: string }>(body: Json, uploads: T[] = []): T[] {
  const unnamed = new Set(uploads.map(({ part }) => part));
  const { to } = body;
  const recipients = Array.isArray(to) ? (to as unknown[]) : [to];
  removeReferenced(body, unnamed);
  for (const one of unnamed.size > 0 ? recipients : []) removeReferenced(one, unnamed);
  return uploads.filter(({ part }) => unnamed.has(part));
}

function removeReferenced(one: unknown, unnamed: Set<string>): void {
  for (const attachment of attachmentsOf(one)) {
    const ref = (attachment as { file_ref?: unknown } | null)?.file_ref;
    if (typeof ref === 'string') unnamed.delete(ref);
  }
}
