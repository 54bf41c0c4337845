import { repeatedCids } from '@lettermill/contract';
import type { Fault } from '@lettermill/problems';
import type { LooseFile } from './loose.files';

/** It lies outside the request, where no pointer leads. */
const OF_CAMPAIGN: LooseFile = { pointer: 'a file of the campaign', named: true };

/** Faults of content ids: those of the campaign, the request and a recipient are in one message. */
export function cidFaults(ofCampaign: string[], ofRequest: LooseFile[], ofRecipients: LooseFile[][]): Fault[] {
  const shared = new Map<string, LooseFile>(ofCampaign.map((cid) => [cid, OF_CAMPAIGN]));
  const own = repeatedCids(ofRequest, shared);
  return [...own, ...ofRecipients.flatMap((files) => repeatedCids(files, new Map(shared)))];
}
