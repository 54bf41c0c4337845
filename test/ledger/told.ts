import { setTimeout as pause } from 'node:timers/promises';
import type { Lettermill } from '../installations/lettermill';
import type { Told } from './entries';

interface Page {
  data: (Told & { campaign?: { slug: string } })[];
  next_cursor: string | null;
}

/** States that a message will still leave by itself. */
const UNDER_WAY = ['accepted', 'queued', 'sending', 'deferred'];
const LOOK_MS = 500;
const AWAY_MS = 60_000;

/** Waits until every message has ended, or nothing changes for `patienceMs`; resolves to all messages. */
export async function settled(lettermill: Lettermill, patienceMs: number): Promise<Told[]> {
  let [moved, before] = [Date.now(), ''];
  while (Date.now() - moved < patienceMs) {
    const now = (await underWay(lettermill)) || (await copiesUnderWay(lettermill));
    if (now === '') break;
    if (now !== before) [moved, before] = [Date.now(), now];
    await pause(LOOK_MS);
  }
  return everything(lettermill);
}

/** A summary of the messages in progress; empty if there are none. Messages of the campaign `held` may stay uncertain. */
async function underWay(lettermill: Lettermill): Promise<string> {
  const pages = await Promise.all(UNDER_WAY.map((state) => page(lettermill, `state=${state}&limit=20`)));
  const uncertain = await all(lettermill, 'state=uncertain&');
  const waiting = uncertain.filter(({ campaign }) => campaign?.slug !== 'held');
  const shown = [...pages.flatMap(({ data }) => data), ...waiting];
  return shown.map(({ message_id, state, attempts }) => `${message_id} ${state} ${attempts.length}`).join();
}

/** The same for copies, which are still retried after the message has ended. */
async function copiesUnderWay(lettermill: Lettermill): Promise<string> {
  const ended = [...(await all(lettermill, 'state=sent&')), ...(await all(lettermill, 'state=bounced&'))];
  const waiting = ended.filter(({ next_attempt_at }) => next_attempt_at);
  return waiting.map(({ message_id, attempts }) => `${message_id} ${attempts.length}`).join();
}

export function everything(lettermill: Lettermill): Promise<Told[]> {
  return all(lettermill, '');
}

async function all(lettermill: Lettermill, filter: string): Promise<Page['data']> {
  const messages: Page['data'] = [];
  for (let cursor = ''; ;) {
    const { data, next_cursor } = await page(lettermill, `${filter}limit=100${cursor && `&cursor=${cursor}`}`);
    messages.push(...data);
    if (next_cursor === null) return messages;
    cursor = next_cursor;
  }
}

async function page(lettermill: Lettermill, query: string): Promise<Page> {
  // In the cluster profile, the service that answers this may still be starting.
  for (const end = Date.now() + AWAY_MS; ;) {
    const { status, body } = await lettermill.call<Page>('GET', `/v2/messages?${query}`);
    if (status === 200) return body;
    if (status !== 503 || Date.now() > end) throw new Error(`the messages can not be read: ${status}`);
    await pause(LOOK_MS);
  }
}
