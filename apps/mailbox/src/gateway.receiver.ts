import { fetchFailure } from '@lettermill/web';
import type { ReturnPathReceiver } from './mailbox/return.path';

const TIMEOUT_MS = 10_000;

/** Hands reports to the gateway, as the mail server of a return path does. It reads no addresses: it does not know what they are signed with. */
export function gatewayReceiver(gatewayUrl: string, key: string): ReturnPathReceiver {
  return {
    judge: () => 'other',
    deliver: async (_address, raw) => {
      const answer = await fetch(`${gatewayUrl}/v2/inbound/bounces`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'message/rfc822' },
        body: raw,
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      }).catch((error: unknown) => {
        throw new Error(`the gateway at ${gatewayUrl} can't be reached (${fetchFailure(error)})`);
      });
      await answer.body?.cancel();
      if (!answer.ok) throw new Error(`the gateway at ${gatewayUrl} answers ${answer.status}`);
    },
  };
}
