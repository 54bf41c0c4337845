import { Slots } from '@lettermill/concurrency';
import { TOPICS } from '@lettermill/events';
import { LogUnavailable, type EventLog, type LogRecord } from '../log.port';
import {
  deadLetterContentOf,
  decisionOf,
  decisionRecord,
  deadLetterEntryOf,
  matchesFilter,
  deadLetterIdOf,
  originalRecordOf,
  parseDeadLetterId,
  type DeadLetterContent,
  type DeadLetterEntry,
  type DeadLetterFilter,
  type Decision,
} from './dead.letter.entry';

/** Milliseconds. A topic of dead letters that takes longer to read is a matter for other tools. */
const READ_TIMEOUT_MS = 120_000;

export interface DeadLetterList {
  /** How many open dead letters match the filter. */
  total: number;
  /** The newest of them, newest first. */
  data: DeadLetterEntry[];
}

export type DeadLetterChoice = { ids: string[] } | { filter: DeadLetterFilter };

export interface DecisionReport {
  done: string[];
  /** Those that were chosen but not decided. */
  refused: { id: string; why: 'unknown' | 'no_origin' | 'content_left_out' | Decision }[];
}

interface DeadLetterState {
  open: Map<string, DeadLetterEntry>;
  decided: Map<string, Decision>;
}

/**
 * The dead letters and the decisions about them. Both are records of the same topic: there is no other state. A redrive
 * appends the record to its topic and then the decision; a crash between the two leaves the dead letter open. Doing it
 * again sends nothing twice, as consumers know an event by its id; contacts merges the profile data once more.
 */
export class DeadLetters {
  private readonly decisionQueue = new Slots(1);

  constructor(private readonly log: EventLog) {}

  async list(filter: DeadLetterFilter, limit: number): Promise<DeadLetterList> {
    const { open } = await this.readState();
    // Reversed: the sort is stable, and of dead letters of the same moment the last one is the newest.
    const found = [...open.values()].filter((entry) => matchesFilter(entry, filter)).reverse();
    const newest = (one: DeadLetterEntry, other: DeadLetterEntry) =>
      one.at < other.at ? 1 : one.at > other.at ? -1 : 0;
    return { total: found.length, data: found.sort(newest).slice(0, limit) };
  }

  /** Undefined if there is no such dead letter, or it is no longer kept. */
  async show(id: string): Promise<DeadLetterContent | undefined> {
    const place = parseDeadLetterId(id);
    if (!place || place.partition >= (await this.log.partitions(TOPICS.deadLetter))) return undefined;
    const [record] = await this.log.read(TOPICS.deadLetter, place.partition, place.position, 1);
    if (record?.position !== place.position || decisionOf(record)) return undefined;
    return deadLetterContentOf(record, (await this.readState()).decided.get(id) ?? null);
  }

  /**
   * Puts dead letters back on their topics, or takes them off the list. One decision at a time, so that each knows of
   * those before it and does not undo them.
   */
  decide(decision: Decision, choice: DeadLetterChoice): Promise<DecisionReport> {
    return this.decisionQueue.run(() => this.decideNow(decision, choice));
  }

  private async decideNow(decision: Decision, choice: DeadLetterChoice): Promise<DecisionReport> {
    const { open, decided } = await this.readState();
    const chosenIds = 'ids' in choice ? [...new Set(choice.ids)] : matchingIds(open, choice.filter);
    const refused = chosenIds.flatMap((id): DecisionReport['refused'] => {
      const entry = open.get(id);
      if (!entry) return [{ id, why: decided.get(id) ?? 'unknown' }];
      if (decision === 'discarded') return [];
      if (entry.content === 'left_out') return [{ id, why: 'content_left_out' }];
      return entry.origin.topic === '' ? [{ id, why: 'no_origin' }] : [];
    });
    const pendingIds = new Set(chosenIds);
    for (const { id } of refused) pendingIds.delete(id);
    const done: string[] = [];
    if (pendingIds.size > 0) {
      await this.scan(async (records) => {
        const chosen = records.filter((record) => pendingIds.delete(deadLetterIdOf(record)));
        if (decision === 'redriven') await this.log.append(chosen.map(originalRecordOf));
        await this.log.append(chosen.map((record) => decisionRecord(record, decision)));
        done.push(...chosen.map(deadLetterIdOf));
      });
    }
    return { done, refused };
  }

  private async readState(): Promise<DeadLetterState> {
    const state: DeadLetterState = { open: new Map(), decided: new Map() };
    await this.scan((records) => {
      for (const record of records) {
        const found = decisionOf(record);
        if (found) state.decided.set(found.id, found.decision);
        else state.open.set(deadLetterIdOf(record), deadLetterEntryOf(record));
      }
      return Promise.resolve();
    });
    for (const id of state.decided.keys()) state.open.delete(id);
    return state;
  }

  /**
   * Hands over every record that is on the topic now, once. If `handle` rejects, it hands over nothing more and rejects
   * with the same error. A damaged record rejects, too: mail goes on without the dead letters.
   */
  private async scan(handle: (records: LogRecord[]) => Promise<void>): Promise<void> {
    let failed: { error: unknown } | undefined;
    const follower = await this.log.follow({
      topics: [TOPICS.deadLetter],
      onBatch: async ({ records }) => {
        if (failed) return;
        await handle(records).catch((error: unknown) => (failed = { error }));
      },
      onDamage: (error) => (failed ??= { error }),
    });
    try {
      if (!(await follower.caughtUp(READ_TIMEOUT_MS)) && !failed)
        throw new LogUnavailable('the dead letters could not be read in time');
    } finally {
      await follower.close();
    }
    if (failed) throw failed.error;
  }
}

function matchingIds(open: Map<string, DeadLetterEntry>, filter: DeadLetterFilter): string[] {
  return [...open.values()].filter((entry) => matchesFilter(entry, filter)).map(({ id }) => id);
}
