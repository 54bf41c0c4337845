import { quoted } from '@lettermill/contract';
import type { Fault } from '@lettermill/problems';
import type { LooseFile } from './loose.files';

/** Adds the cids of files to those that a message has; gives those that it had. */
function take(files: LooseFile[], had: Map<string, string>): Fault[] {
  return files.flatMap(({ cid, pointer }) => {
    const first = cid === undefined ? undefined : had.get(cid);
    if (cid === undefined || first === undefined) {
      if (cid !== undefined) had.set(cid, pointer);
      return [];
    }
    const detail = `${quoted(cid)} is the cid of ${first} already.`;
    return [{ pointer: `${pointer}/cid`, code: 'cid_taken', detail }];
  });
}

/** Faults of content ids: one names one file of a message, those of the request and the recipient's together (RFC 2392, 2). */
export function cidFaults(ofRequest: LooseFile[], ofRecipients: LooseFile[][]): Fault[] {
  const shared = new Map<string, string>();
  return [...take(ofRequest, shared), ...ofRecipients.flatMap((own) => take(own, new Map(shared)))];
}
