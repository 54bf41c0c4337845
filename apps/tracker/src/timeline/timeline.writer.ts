import { Inject, Injectable } from '@nestjs/common';
import { Batcher } from '@lettermill/concurrency';
import type { ReceivedEvent } from '@lettermill/events';
import { StoreUnavailable } from '@lettermill/storage';
import { factOf, type Fact } from './message.facts';
import { changeOf, type MessageRef } from './message.record';
import { MESSAGES_STORE, type MessagesStore } from './messages.store';
import { portionsOf } from './timeline.portions';

interface MessageFacts extends MessageRef {
  facts: Fact[];
}

type WriteResult = { failure?: unknown };

/** A message fails in a round only if another process changed it meanwhile. */
const MAX_ROUNDS = 20;
/** Waiting batches of the four topics are written together: they are about the same messages. */
const MAX_BATCHES = 4;

const keyTextOf = ({ accountId, messageId }: MessageRef) => `${accountId} ${messageId}`;

function factsByMessage(events: ReceivedEvent[]): MessageFacts[] {
  const messages = new Map<string, MessageFacts>();
  for (const event of events) {
    const fact = factOf(event);
    if (!fact || !('message_id' in event.data)) continue;
    const ref = { accountId: event.data.account_id, messageId: event.data.message_id };
    const name = keyTextOf(ref);
    const one = messages.get(name) ?? { ...ref, facts: [] };
    one.facts.push(fact);
    messages.set(name, one);
  }
  return [...messages.values()];
}

/** Writes events into the records of their messages, with one load and one save for all waiting batches, unless these records are large. */
@Injectable()
export class TimelineWriter {
  private readonly batches = new Batcher<ReceivedEvent[], WriteResult>((waiting) => this.writeTogether(waiting), {
    items: MAX_BATCHES,
  });

  constructor(@Inject(MESSAGES_STORE) private readonly messages: MessagesStore) {}

  /** Resolves when the events are durable in the view. */
  async write(events: ReceivedEvent[]): Promise<void> {
    const done = await this.batches.add(events);
    if ('failure' in done) throw done.failure;
  }

  /** Batches that fail together are tried one by one, so that none fails because of an event of another. */
  private async writeTogether(waiting: ReceivedEvent[][]): Promise<WriteResult[]> {
    try {
      await this.apply(waiting.flat());
      return waiting.map(() => ({}));
    } catch (failure) {
      if (waiting.length === 1) return [{ failure }];
      const results: WriteResult[] = [];
      for (const events of waiting) results.push(...(await this.writeTogether([events])));
      return results;
    }
  }

  private async apply(events: ReceivedEvent[]): Promise<void> {
    for (const portion of portionsOf(factsByMessage(events))) await this.add(portion);
  }

  private async add(messages: MessageFacts[]): Promise<void> {
    let open = messages;
    for (let round = 0; open.length > 0; round += 1) {
      if (round === MAX_ROUNDS) throw new StoreUnavailable('messages are being changed too often');
      const records = new Map((await this.messages.load(open)).map((record) => [keyTextOf(record), record]));
      const changes = open.flatMap(({ facts, ...ref }) => {
        const record = records.get(keyTextOf(ref)) ?? { ...ref, facts: [], revision: 0 };
        return changeOf(record, facts) ?? [];
      });
      const lost = new Set((await this.messages.save(changes)).map(keyTextOf));
      open = open.filter((message) => lost.has(keyTextOf(message)));
    }
  }
}
