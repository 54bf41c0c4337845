import { printable } from '../output';

/** A problem (RFC 9457) has these members, any other answer has others. */
export interface Answer {
  /** The address that was called. */
  url: string;
  status: number;
  body: { code?: string; detail?: string; fix?: string };
}

/** What the gateway gives as its reasons; empty if it gives none. Another program answers with any fields in any form. */
export function reasonsOf({ detail, errors }: { detail?: unknown; errors?: unknown }): string {
  const faults = Array.isArray(errors) ? errors.map(faultText) : [];
  return [detail, ...faults].filter((text) => text && typeof text === 'string').join(' ');
}

/** What is said where another program answers: a proxy, or whatever has the port. It may answer any call with any status. */
export const foreignText = ({ url, status }: Pick<Answer, 'url' | 'status'>): string =>
  `${url} answers ${status}, but not like a gateway: check GATEWAY_URL.`;

/** Why the gateway refused what it was asked; an answer that should be none, of another program, is told as such. */
export function refusalDetail(answer: Answer): string {
  return (answer.status >= 300 && reasonsOf(answer.body)) || foreignText(answer);
}

/** A refusal in words for the terminal. */
export function refusalText(answer: Answer): string {
  return printable(reasonsOf(answer.body)) || foreignText(answer);
}

/** Parameters of the search have the names of the options. */
function faultText(fault: { pointer?: string; detail?: unknown } | null): unknown {
  const [, parameter] = /^\/query\/(\w+)$/.exec(fault?.pointer ?? '') ?? [];
  return parameter ? `--${parameter.replaceAll('_', '-')}: ${String(fault?.detail)}` : fault?.detail;
}
