import { TOPICS } from '@lettermill/events';
import type { EventLog } from '@lettermill/log';
import type { Logger } from '../logging/logger';

async function hasCampaigns(log: Pick<EventLog, 'partitions' | 'read'>): Promise<boolean> {
  const partitions = await log.partitions(TOPICS.campaignLaunched);
  for (let partition = 0; partition < partitions; partition += 1) {
    if ((await log.read(TOPICS.campaignLaunched, partition, 0, 1)).length > 0) return true;
  }
  return false;
}

/**
 * Warns if the store holds nothing, but the log has campaigns, which it keeps for ever: the store was lost, or is not the one that was
 * meant. Renderer makes its collections before it launches a campaign, so the store is looked at again after the log, in case that others
 * are starting, too.
 */
export async function warnIfStoreIsLost(
  log: Pick<EventLog, 'partitions' | 'read'>,
  isStoreEmpty: () => Promise<boolean>,
  logger: Pick<Logger, 'warn'>,
): Promise<void> {
  if (!(await isStoreEmpty()) || !(await hasCampaigns(log)) || !(await isStoreEmpty())) return;
  logger.warn(
    { code: 'store_empty' },
    'MongoDB holds nothing, but campaigns were launched before: suppressions, keys and all else is lost, or MONGODB_URI is wrong; see docs/backup.md, «An empty MongoDB»',
  );
}
