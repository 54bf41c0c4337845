import type { Json, Level } from '../send/levels';

/** An attachment of the JSON as far as it can be read, right or wrong. */
export interface LooseFile {
  pointer: string;
  ref?: string;
  url?: string;
  base64?: string;
  /** Whether it has a file_name, right or wrong. */
  named: boolean;
}

/** Attachments of one level; more of them are a fault of their own, and not looked at. */
const MOST_FILES = 10;

function attachmentsAt({ one }: Level): unknown[] {
  const { attachments } = (one ?? {}) as { attachments?: unknown };
  return Array.isArray(attachments) ? (attachments as unknown[]) : [];
}

/** What is read of the attachments at a level. `wrong` has the pointers of what is known to be wrong: such `data` is none. */
export function looseFiles(level: Level, wrong: ReadonlySet<string>): LooseFile[] {
  const attachments = attachmentsAt(level).slice(0, MOST_FILES);
  return attachments.map((one, index) => {
    const pointer = `${level.pointer}/attachments/${index}`;
    const { file_ref: ref, data, file_name: name } = (one ?? {}) as Record<string, unknown>;
    const file: LooseFile = { pointer, named: name !== undefined };
    if (typeof ref === 'string') return { ...file, ref };
    if (typeof data !== 'string' || wrong.has(`${pointer}/data`)) return file;
    return data.startsWith('https://') ? { ...file, url: data } : { ...file, base64: data };
  });
}

/** Every part that the request names, be it in a place that is not looked at: nobody means it to be attached to all. */
export function partsNamed(body: Json): Set<string> {
  const { to } = body;
  const recipients = Array.isArray(to) ? (to as unknown[]) : [to];
  const attachments = [body, ...recipients].flatMap((one) => attachmentsAt({ one, pointer: '' }));
  const refs = attachments.map((one) => ((one ?? {}) as { file_ref?: unknown }).file_ref);
  return new Set(refs.filter((ref) => typeof ref === 'string'));
}
