import stringify from 'fast-json-stable-stringify';
import type { Finding, Rule } from './rules';
import { quoted } from '../fault.wording';

/**
 * A key that equal items always share, cheap to find: the text that names the recipient. Only items with the same key are
 * compared in full.
 */
function roughKey(item: unknown): string {
  if (typeof item === 'string') return `"${item}`;
  if (typeof item !== 'object' || item === null) return String(item);
  const inner = (item as { contact_key?: unknown }).contact_key ?? item;
  if (typeof inner === 'string') return inner;
  if (typeof inner !== 'object') return '';
  const { email } = inner as { email?: unknown };
  if (typeof email === 'string') return email;
  const values = Object.values(inner);
  return values.length === 1 && typeof values[0] === 'string' ? values[0] : '';
}

/** Calls `found` for every item that equals an earlier one as a JSON value; linear in the size of the list. */
function eachRepeated(items: readonly unknown[], found: (first: number, second: number) => void): void {
  const rough = new Map<string, number>();
  const exact = new Map<string, number>();
  for (let i = 0; i < items.length; i += 1) {
    const key = roughKey(items[i]);
    const first = rough.get(key);
    if (first === undefined) {
      rough.set(key, i);
      continue;
    }
    if (first >= 0) {
      exact.set(stringify(items[first]), first);
      rough.set(key, -1);
    }
    const whole = stringify(items[i]);
    const same = exact.get(whole);
    if (same === undefined) exact.set(whole, i);
    else found(same, i);
  }
}

function unique(items: readonly unknown[]): Finding[] | undefined {
  if (items.length < 2) return undefined;
  let findings: Finding[] | undefined;
  eachRepeated(items, (first, second) => {
    findings ??= [];
    findings.push({ code: 'not_unique', at: `/${second}`, detail: `item ${second} is the same as item ${first}` });
  });
  return findings;
}

function externalIdOf(item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null) return undefined;
  const { contact_key: key, external_message_id: id } = item as Record<string, unknown>;
  // Without contact_key, `external_message_id` is the name of a custom contact key, not an id.
  return key !== undefined && typeof id === 'string' ? id : undefined;
}

/** An external_message_id must not occur twice in one request (docs/send.md 12). */
function externalIds(items: readonly unknown[]): Finding[] | undefined {
  let seen: Map<string, number> | undefined;
  let findings: Finding[] | undefined;
  for (let i = 0; i < items.length; i += 1) {
    const id = externalIdOf(items[i]);
    if (id === undefined) continue;
    seen ??= new Map();
    const first = seen.get(id);
    if (first === undefined) {
      seen.set(id, i);
      continue;
    }
    findings ??= [];
    findings.push({
      code: 'external_message_id_taken',
      at: `/${i}/external_message_id`,
      detail: `${quoted(id)} is already used in this request, by item ${first}`,
    });
  }
  return findings;
}

/** Rules of arrays that JSON Schema cannot express, or validators check slowly. The keyword `x-list` names them. */
export const LIST_RULES = { unique, externalIds } satisfies Record<string, Rule<readonly unknown[]>>;
