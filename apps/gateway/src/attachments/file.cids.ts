import { repeatedCids } from '@lettermill/contract';
import type { Fault } from '@lettermill/problems';
import type { LooseFile } from './loose.files';

/** Faults of content ids: those of the request and of a recipient are in one message. */
export function cidFaults(ofRequest: LooseFile[], ofRecipients: LooseFile[][]): Fault[] {
  const shared = new Map<string, LooseFile>();
  const own = repeatedCids(ofRequest, shared);
  return [...own, ...ofRecipients.flatMap((files) => repeatedCids(files, new Map(shared)))];
}
