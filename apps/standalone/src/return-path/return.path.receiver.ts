import type { Config } from '@lettermill/config';
import { DEFAULT_ACCOUNT, readReturnPath } from '@lettermill/runtime';
import { MAX_REPORT_BYTES } from '../../../gateway/src/inbound/inbound.controller';
import { OwnerClient } from '../../../gateway/src/owners/owner.client';
import type { ReturnPathReceiver } from '../../../mailbox/src/mailbox/return.path';

const BOUNCES_PATH = '/v2/inbound/bounces';

/**
 * Passes mails to the return path on to dispatch, on behalf of the account that the address is signed for. Reports to any other address,
 * which without RETURN_PATH is the sender's own, name their mail only by its Message-ID.
 */
export function returnPathReceiver(config: Config, now: () => number): ReturnPathReceiver {
  const owners = new OwnerClient(config, now);
  return {
    judge: (address) => {
      const read = readReturnPath(config, address);
      if (read === null) return 'other';
      return read === 'forged' ? 'forged' : 'ours';
    },
    deliver: async (address, raw) => {
      const read = readReturnPath(config, address);
      if (read === 'forged') return;
      const body = Buffer.from(
        JSON.stringify({ raw: raw.toString('base64', 0, MAX_REPORT_BYTES), envelope_to: address }),
      );
      const { status } = await owners.call('dispatch', {
        accountId: read?.accountId ?? DEFAULT_ACCOUNT,
        method: 'POST',
        path: BOUNCES_PATH,
        body,
      });
      if (status >= 500) throw new Error(`dispatch answered ${status}`);
    },
  };
}
