import { setTimeout as pause } from 'node:timers/promises';
import type { Lettermill } from '../installations/lettermill';
import type { ReportedMessage } from './entries';

interface Page {
  data: (ReportedMessage & { campaign?: { slug: string } })[];
  next_cursor: string | null;
}

/** States that a message will still leave by itself; uncertain ones unless their campaign holds them. */
const UNFINISHED_STATES = ['accepted', 'queued', 'sending', 'deferred', 'uncertain'];
const POLL_INTERVAL_MS = 500;
const UNAVAILABLE_TIMEOUT_MS = 60_000;

/** Waits until every message has ended, or nothing changes for `patienceMs`; resolves to all messages. */
export async function waitUntilSettled(lettermill: Lettermill, patienceMs: number): Promise<ReportedMessage[]> {
  let [lastChangeAt, previous] = [Date.now(), ''];
  while (Date.now() - lastChangeAt < patienceMs) {
    const current = (await summarizeUnfinished(lettermill)) || (await summarizeUnfinishedCopies(lettermill));
    if (current === '') break;
    if (current !== previous) [lastChangeAt, previous] = [Date.now(), current];
    await pause(POLL_INTERVAL_MS);
  }
  return allMessages(lettermill);
}

/** A summary of the messages in progress; empty if there are none. Messages of the campaign `held` may stay uncertain. */
async function summarizeUnfinished(lettermill: Lettermill): Promise<string> {
  // Of two queries, neither might find a message that changes from the state of one to that of the other.
  const messages = await listMessages(lettermill, `state=${UNFINISHED_STATES.join()}&`);
  const unfinished = messages.filter(({ state, campaign }) => state !== 'uncertain' || campaign?.slug !== 'held');
  return unfinished.map(({ message_id, state, attempts }) => `${message_id} ${state} ${attempts.length}`).join();
}

/** The same for copies, which are still retried after the message has ended. */
async function summarizeUnfinishedCopies(lettermill: Lettermill): Promise<string> {
  const ended = await listMessages(lettermill, 'state=sent,bounced&');
  const waiting = ended.filter(({ next_attempt_at }) => next_attempt_at);
  return waiting.map(({ message_id, attempts }) => `${message_id} ${attempts.length}`).join();
}

function allMessages(lettermill: Lettermill): Promise<ReportedMessage[]> {
  return listMessages(lettermill, '');
}

async function listMessages(lettermill: Lettermill, filter: string): Promise<Page['data']> {
  const messages: Page['data'] = [];
  for (let cursor = ''; ;) {
    const { data, next_cursor } = await readPage(lettermill, `${filter}limit=100${cursor && `&cursor=${cursor}`}`);
    messages.push(...data);
    if (next_cursor === null) return messages;
    cursor = next_cursor;
  }
}

async function readPage(lettermill: Lettermill, query: string): Promise<Page> {
  // In the cluster profile, the service that answers this may still be starting.
  for (const deadline = Date.now() + UNAVAILABLE_TIMEOUT_MS; ;) {
    const { status, body } = await lettermill.call<Page>('GET', `/v2/messages?${query}`);
    if (status === 200) return body;
    if (status !== 503 || Date.now() > deadline) throw new Error(`the messages can not be read: ${status}`);
    await pause(POLL_INTERVAL_MS);
  }
}
