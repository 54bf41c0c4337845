import type { Gateway } from '../gateway/gateway';
import { inLanes } from '../gateway/lanes';
import { refusalDetail } from '../gateway/refusal';
import { printable } from '../output';

/** The result of a removal; `failure` is set if it was broken off. */
export interface RemovalReport {
  failure?: unknown;
  removed: string[];
  /** Those among `removed` for which a weaker reason remains: `manual` or `unsubscribed`. */
  remaining: { address: string; reason: string }[];
  refused: { address: string; code: string; detail: string }[];
}

/**
 * Removes the suppression of each address that has this reason, several at a time. If it breaks off, it may be repeated: what is behind a
 * removed suppression stays.
 */
export async function removeAll(gateway: Gateway, addresses: string[], reason: string): Promise<RemovalReport> {
  const report: RemovalReport = { removed: [], remaining: [], refused: [] };
  report.failure = await inLanes(addresses, async (address) => {
    const answer = await gateway.call<{ reason?: unknown }>(
      'DELETE',
      `/v2/suppressions/${encodeURIComponent(address)}?${new URLSearchParams({ reason })}`,
    );
    const { status, body } = answer;
    const remains = status === 200 && typeof body.reason === 'string' ? body.reason : undefined;
    if (remains !== undefined) report.remaining.push({ address, reason: remains });
    if (status === 204 || remains !== undefined) report.removed.push(address);
    else report.refused.push({ address, code: body.code ?? String(status), detail: refusalDetail(answer) });
  });
  return report;
}

export function removalText({ removed, remaining, refused }: RemovalReport): string {
  const lines = [
    ...remaining.map(({ address, reason }) => `${address}: remains suppressed (${reason})`),
    ...refused.map(({ address, code, detail }) => `${address}: ${code}. ${detail}`.trimEnd()),
  ];
  return [`${removed.length} removed`, ...lines.map(printable), ''].join('\n');
}
