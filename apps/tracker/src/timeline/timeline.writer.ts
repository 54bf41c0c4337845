import { Inject, Injectable } from '@nestjs/common';
import { Batcher } from '@lettermill/concurrency';
import type { Received } from '@lettermill/events';
import { StoreUnavailable } from '@lettermill/storage';
import { factOf, type Fact } from './message.facts';
import { changeOf, type MessageRef } from './message.record';
import { MESSAGES_STORE, type MessagesStore } from './messages.store';

interface Told extends MessageRef {
  facts: Fact[];
}

type Done = { failure?: unknown };

/** A message fails in a round only if another process changed it meanwhile. */
const MAX_ROUNDS = 20;
/** Waiting batches of the four topics are written together: they are about the same messages. */
const MAX_BATCHES = 4;

const nameOf = ({ accountId, messageId }: MessageRef) => `${accountId} ${messageId}`;

function gather(events: Received[]): Map<string, Told> {
  const told = new Map<string, Told>();
  for (const event of events) {
    const fact = factOf(event);
    if (!fact || !('message_id' in event.data)) continue;
    const ref = { accountId: event.data.account_id, messageId: event.data.message_id };
    const name = nameOf(ref);
    const one = told.get(name) ?? { ...ref, facts: [] };
    one.facts.push(fact);
    told.set(name, one);
  }
  return told;
}

/** Writes events into the records of their messages, with one load and one save for all waiting batches. */
@Injectable()
export class TimelineWriter {
  private readonly batches = new Batcher<Received[], Done>((waiting) => this.together(waiting), { items: MAX_BATCHES });

  constructor(@Inject(MESSAGES_STORE) private readonly messages: MessagesStore) {}

  /** Resolves when the events are durable in the view. */
  async write(events: Received[]): Promise<void> {
    const done = await this.batches.add(events);
    if ('failure' in done) throw done.failure;
  }

  /** Batches that fail together are tried one by one, so that none fails because of an event of another. */
  private async together(waiting: Received[][]): Promise<Done[]> {
    try {
      await this.apply(waiting.flat());
      return waiting.map(() => ({}));
    } catch (failure) {
      if (waiting.length === 1) return [{ failure }];
      const results: Done[] = [];
      for (const events of waiting) results.push(...(await this.together([events])));
      return results;
    }
  }

  private async apply(events: Received[]): Promise<void> {
    let open = gather(events);
    for (let round = 0; open.size > 0; round += 1) {
      if (round === MAX_ROUNDS) throw new StoreUnavailable('messages are being changed too often');
      const told = [...open.values()];
      const records = new Map((await this.messages.load(told)).map((record) => [nameOf(record), record]));
      const changes = told.flatMap(({ facts, ...ref }) => {
        const record = records.get(nameOf(ref)) ?? { ...ref, facts: [], revision: 0 };
        return changeOf(record, facts) ?? [];
      });
      const lost = await this.messages.save(changes);
      open = new Map(lost.map((ref) => [nameOf(ref), open.get(nameOf(ref))!]));
    }
  }
}
