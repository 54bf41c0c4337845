import { ANSWERS, FAULTS, MAX_FAULTS, PROBLEM_TYPE_BASE, REASONS } from '@lettermill/problems';

type Rows = Record<string, { title: string; status: number; fix: string; retryable: boolean }>;

const table = (rows: Rows, head: string, cells: (code: string, row: Rows[string]) => string[]) =>
  [
    head,
    head.replace(/[^|]+/g, '---'),
    ...Object.entries(rows).map(([code, row]) => `| <a id="${code}"></a>${cells(code, row).join(' | ')} |`),
  ].join('\n');

/** docs/errors.md, from the error table. */
export function errorsPage(): string {
  return `# Errors

This page is generated from the error table in \`libs/problems\` by \`npm run docs\`.

## Answers

Every answer that is not a success is \`application/problem+json\` (RFC 9457) with \`type\`, \`title\`, \`status\`, \`detail\`, \`instance\`,
\`request_id\`, \`code\` and \`fix\`. \`type\` is \`${PROBLEM_TYPE_BASE}\` and the code: an identifier, not an address to open. A request refused with a 4xx leaves nothing behind: no message,
and no key or id that is used up. What an earlier request may have left, \`earlier_call_unanswered\` names.

${table(ANSWERS, '| code | status | meaning | what to do | same request again |', (code, row) => [
  `\`${code}\``,
  String(row.status),
  row.title,
  row.fix,
  row.retryable ? 'yes, later' : 'no',
])}

## Faults

A 422 \`validation_failed\` lists every broken rule of every recipient in \`errors\`, each with \`pointer\` (a JSON Pointer into the request), \`code\` and
\`detail\`. \`error_count\` is their full number; at most ${MAX_FAULTS} are listed.

${table(FAULTS, '| code | meaning | what to do |', (code, row) => [`\`${code}\``, row.title, row.fix])}

## Reasons

Why a message was not sent, or waits: \`reason.code\` of \`GET /v2/messages/{message_id}\`.

${table(REASONS, '| code | meaning | what to do |', (code, row) => [`\`${code}\``, row.title, row.fix])}
`;
}
