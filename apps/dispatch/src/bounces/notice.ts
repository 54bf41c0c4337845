import { addressIn } from './addresses';
import { linesOf, valueOf, type Field } from './fields';
import { ORIGINAL_FOLLOWS } from './notice.rules';
import { headerOf, type OpenedMail } from './opened.mail';

/** What a report says to people: its lines, and the header of the returned mail if that follows in the same text. */
export interface Notice {
  lines: string[];
  original: Field[];
}

/** Limits of what is worth reading. */
const MAX_LINES = 300;
const MAX_LINE_LENGTH = 1000;

/** Separates the report from the mail that was returned with it. */
export function noticeOf({ text, original }: OpenedMail): Notice {
  const all = linesOf(text, 2000).map((line) => line.slice(0, MAX_LINE_LENGTH));
  const found = all.findIndex((line, at) => at > 0 && ORIGINAL_FOLLOWS.some((rule) => rule.test(line)));
  const end = found < 0 ? all.length : found;
  const reportLines = all.slice(0, Math.min(end, MAX_LINES));
  if (original.length > 0) return { lines: reportLines, original };
  const rest = all.slice(end);
  const begins = rest.findIndex((line) => /^[A-Za-z][A-Za-z0-9-]{0,60}:\s{0,4}\S/.test(line));
  return { lines: reportLines, original: begins < 0 ? [] : headerOf(rest.slice(begins).join('\n')) };
}

/** Message-ID of the mail that the report is about, wherever it is found. */
export function originalMessageId(
  header: readonly Field[],
  { lines, original }: Notice,
  statuses: string,
): string | null {
  const stated = valueOf(original, 'message-id');
  const pattern = /(?:message-?id|original-message-id|message identifier)\s{0,4}[:=]\s{0,4}(<[^<>\s]{3,500}>)/i;
  const answered = valueOf(header, 'in-reply-to') ?? valueOf(header, 'references');
  const found = stated ?? pattern.exec(statuses)?.[1] ?? pattern.exec(lines.join('\n'))?.[1] ?? answered;
  const id = found && (/<[^<>\s]{3,500}>/.exec(found)?.[0] ?? (addressIn(found) ? `<${addressIn(found)}>` : undefined));
  return id ?? null;
}
