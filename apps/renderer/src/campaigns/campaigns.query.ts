import { validationFailed, type Fault } from '@lettermill/problems';

export interface CampaignsQuery {
  limit: number;
  /** Id of the last campaign of the page before. */
  after: string | null;
}

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

/** Reads `limit` (1 to 100, default 20) and `cursor`. Throws the 422 problem with a fault for every bad or unknown parameter. */
export function readCampaignsQuery(query: Record<string, unknown>): CampaignsQuery {
  const faults: Fault[] = [];
  const read: CampaignsQuery = { limit: DEFAULT_LIMIT, after: null };
  for (const [name, value] of Object.entries(query)) {
    const pointer = `/query/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const text = typeof value === 'string' ? value : '';
    if (name === 'limit') {
      read.limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
      const fits = read.limit >= 1 && read.limit <= MAX_LIMIT;
      if (!fits) faults.push({ pointer, code: 'bad_format', detail: `Must be a whole number, 1 to ${MAX_LIMIT}.` });
    } else if (name === 'cursor') {
      read.after = text;
      const fits = /^[A-Za-z0-9]{18}$/.test(text);
      if (!fits) faults.push({ pointer, code: 'bad_format', detail: 'Must be a next_cursor of this list.' });
    } else {
      faults.push({ pointer, code: 'unknown_property', detail: 'This list takes limit and cursor.' });
    }
  }
  if (faults.length > 0) throw validationFailed(faults);
  return read;
}
