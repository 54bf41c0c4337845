import { repeatedCids } from '@lettermill/contract';
import type { Fault } from '@lettermill/problems';
import type { UncheckedFile } from './unchecked.files';

/** A file of the campaign is outside the request, so no pointer can name it. */
const CAMPAIGN_FILE: UncheckedFile = { pointer: 'a file of the campaign', named: true };

/** Faults of content ids. The files of the campaign, the request and one recipient end up in one message, so their ids must differ. */
export function cidFaults(ofCampaign: string[], ofRequest: UncheckedFile[], ofRecipients: UncheckedFile[][]): Fault[] {
  const shared = new Map<string, UncheckedFile>(ofCampaign.map((cid) => [cid, CAMPAIGN_FILE]));
  const own = repeatedCids(ofRequest, shared);
  return [...own, ...ofRecipients.flatMap((files) => repeatedCids(files, new Map(shared)))];
}
