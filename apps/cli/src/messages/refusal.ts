import { printable } from '../output';

/** A problem (RFC 9457) has these members, any other answer has others. */
export interface Answer {
  status: number;
  body: { code?: string; detail?: string; fix?: string };
}

/** What the gateway gives as its reasons; empty if it gives none. Another program answers with any fields in any form. */
export function reasonsOf({ detail, errors }: { detail?: unknown; errors?: unknown }): string {
  const faults = Array.isArray(errors) ? errors.map(faultText) : [];
  return [detail, ...faults].filter((text) => text && typeof text === 'string').join(' ');
}

/** A refusal in words for the terminal. */
export function refusalText({ status, body }: Answer): string {
  return printable(reasonsOf(body)) || `The gateway answers ${status} without a reason: check GATEWAY_URL.`;
}

/** Parameters of the search have the names of the options. */
function faultText(fault: { pointer?: string; detail?: unknown } | null): unknown {
  const [, parameter] = /^\/query\/(\w+)$/.exec(fault?.pointer ?? '') ?? [];
  return parameter ? `--${parameter.replaceAll('_', '-')}: ${String(fault?.detail)}` : fault?.detail;
}
