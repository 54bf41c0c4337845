import { metricOnce } from '@lettermill/runtime';
import { Gauge } from 'prom-client';

const current = metricOnce(Gauge, {
  name: 'lettermill_campaigns_current',
  help: 'Whether this gateway knows every launch that is on the log: 1 or 0',
});

/** Makes the gauge ask at each scrape. */
export function bindCampaignsCurrent(isCurrent: () => Promise<boolean>): void {
  Object.assign(current, { collect: async () => current.set((await isCurrent()) ? 1 : 0) });
}
