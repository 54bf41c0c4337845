import { matchedEmail } from '@lettermill/events';
import { localAddress, typedAddress } from './addresses';
import { fieldGroups, valueOf, type Field } from './fields';
import { MAX_RECIPIENTS } from './report';

/** What a delivery status notification (RFC 3464) says about one recipient. */
export interface RecipientStatus {
  address: string | null;
  /** The address that the mail was first sent to, if the report says so (RFC 3464 section 2.3.1). */
  original?: string;
  action: 'failed' | 'delayed' | 'delivered';
  status: string | null;
  diagnostic: string;
}

const RECIPIENT_FIELDS = ['final-recipient', 'original-recipient', 'x-actual-recipient'];
const STATUS_FIELDS = new Set([
  ...RECIPIENT_FIELDS,
  'action',
  'status',
  'diagnostic-code',
  'x-supplementary-info',
  'remote-mta',
]);
const STATUS_CODE = /(?<![\d.])([245]\.\d{1,3}\.\d{1,3})(?![\d.])/;

/** The RFC 3463 code in a field that should contain nothing else; null if there is none. */
export const statusIn = (text: string): string | null => STATUS_CODE.exec(text)?.[1] ?? null;

/** The fields of each recipient: some servers put blank lines between the fields of one recipient, others put none between two. */
function recipientGroups(text: string): Field[][] {
  const found: Field[][] = [];
  for (const group of fieldGroups(text)) {
    if (!group.some(([name]) => STATUS_FIELDS.has(name))) continue;
    let current: Field[] = [];
    const next = () => found.push((current = []));
    const last = found.at(-1);
    if (last && !group.some(([name]) => RECIPIENT_FIELDS.includes(name))) current = last;
    else next();
    for (const field of group) {
      const repeated = current.some(([name]) => name === field[0]);
      if (repeated && (field[0] === 'final-recipient' || field[0] === 'original-recipient')) next();
      current.push(field);
    }
  }
  return found.slice(0, MAX_RECIPIENTS);
}

function actionOf(fields: Field[], status: string | null): RecipientStatus['action'] | undefined {
  const action = valueOf(fields, 'action')?.toLowerCase() ?? '';
  if (/^fail/.test(action)) return 'failed';
  if (/^delay|^deferred|^transient/.test(action)) return 'delayed';
  if (/^(delivered|relayed|expanded|success)/.test(action)) return 'delivered';
  if (status?.startsWith('2')) return 'delivered';
  if (status?.startsWith('4')) return 'delayed';
  return (valueOf(fields, 'diagnostic-code') ?? status) ? 'failed' : undefined;
}

function addressOf(fields: Field[]): string | null {
  const values = RECIPIENT_FIELDS.map((name) => valueOf(fields, name));
  for (const read of [typedAddress, localAddress]) {
    const address = values.map(read).find((found) => found !== undefined);
    if (address) return address;
  }
  return null;
}

/** The text of a diagnostic without its type (`smtp; 550 …`). */
function diagnosticOf(fields: Field[]): string {
  const text = valueOf(fields, 'diagnostic-code') ?? valueOf(fields, 'x-supplementary-info') ?? '';
  return text.replace(/^\s*[a-z][a-z0-9.-]{0,40}\s*;\s*/i, '').trim();
}

export function readStatusReport(text: string): RecipientStatus[] {
  return recipientGroups(text).flatMap((fields) => {
    const stated = valueOf(fields, 'status');
    const status = statusIn(stated ?? '');
    const action = actionOf(fields, status);
    if (!action) return [];
    const original = typedAddress(valueOf(fields, 'original-recipient'));
    const comment = /\(([^()]{3,300})\)/.exec(stated ?? '')?.[1] ?? '';
    const recipientStatus = { address: addressOf(fields), action, status, diagnostic: diagnosticOf(fields) || comment };
    return [original === undefined ? recipientStatus : { ...recipientStatus, original }];
  });
}

const FINAL_FIRST: readonly RecipientStatus['action'][] = ['failed', 'delayed', 'delivered'];

/** One status for each recipient, however often a report names it: the first of those that are most final. */
export function distinctStatuses(statuses: readonly RecipientStatus[]): RecipientStatus[] {
  const distinct = new Map<string, RecipientStatus>();
  for (const one of statuses) {
    const name = one.address === null ? JSON.stringify(one) : matchedEmail(one.address);
    const known = distinct.get(name);
    if (!known || FINAL_FIRST.indexOf(one.action) < FINAL_FIRST.indexOf(known.action)) distinct.set(name, one);
  }
  return [...distinct.values()];
}
