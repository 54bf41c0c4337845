import type { DeadLetterContent, DeadLetterEntry, DeadLetterList, DecisionReport } from '@lettermill/log';
import { tableLines, printable, printableLines } from '../output';

const COLUMN_NAMES = ['ID', 'DIED', 'GROUP', 'CODE', 'ORIGIN', 'EVENT'];

function row({ id, at, origin, group, code, event }: DeadLetterEntry): string[] {
  const place = `${origin.topic}/${origin.partition}@${origin.offset}`;
  return [id, at, group, code, place, [event.type, event.id].filter(Boolean).join(' ')];
}

export function listText({ total, data }: DeadLetterList): string {
  if (total === 0) return 'No dead letters.\n';
  const lines = tableLines(COLUMN_NAMES, data.map(row));
  const rest = data.length < total ? [`… ${total - data.length} more; use --limit`] : [];
  return [...lines, ...rest, ''].join('\n');
}

export function contentText(letter: DeadLetterContent): string {
  const { headers, value, key, decision, error, ...entry } = letter;
  const lines = [
    ...COLUMN_NAMES.map(
      (name, column) => `${name.toLowerCase().padEnd(9)}${printable(row({ ...entry, error })[column]!)}`,
    ),
    `state    ${decision ?? 'open'}`,
    `error    ${printable(error)}`,
    `key      ${printable(key)}`,
    '',
    ...Object.entries(headers).map(([name, text]) => `${printable(name)}: ${printable(text)}`),
    '',
    'text' in value ? printableLines(value.text) : value.base64,
  ];
  return `${lines.join('\n')}\n`;
}

const REFUSAL_TEXT: Record<DecisionReport['refused'][number]['why'], string> = {
  unknown: 'there is no such dead letter',
  content_left_out: 'it was too large to be kept with its content; it can only be discarded',
  no_origin: 'it does not say where it came from; it can only be discarded',
  redriven: 'it has already been redriven',
  discarded: 'it has already been discarded',
};

export function reportText(done: string, { done: ids, refused }: DecisionReport): string {
  const lines = refused.map(({ id, why }) => `${printable(id)}: ${REFUSAL_TEXT[why]}`);
  return [`${ids.length} ${done}`, ...lines, ''].join('\n');
}
