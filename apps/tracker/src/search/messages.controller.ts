import { Controller, Get, Inject, Param, Query, UseGuards } from '@nestjs/common';
import { isId } from '@lettermill/contract';
import { TOPICS, topicsOf } from '@lettermill/events';
import { Problem } from '@lettermill/problems';
import { AccountId, CAUGHT_UP, InternalGuard, pageOf, type CaughtUp, type Page } from '@lettermill/runtime';
import type { MessageRecord } from '../timeline/message.record';
import { answerOf, type MessageAnswer } from '../timeline/message.answer';
import { MESSAGES_STORE, type MessagesStore } from '../timeline/messages.store';
import { cursorOf, readSearchQuery, type SearchQuery } from './search.query';

/** What was answered with 202 a moment ago may still be on its way here. */
const WAIT_MS = 2000;

const answerOfRecord = ({ messageId, facts }: MessageRecord) => answerOf(messageId, facts);

/** Messages of the account, for the gateway. */
@Controller('v2/messages')
@UseGuards(InternalGuard)
export class MessagesController {
  constructor(
    @Inject(MESSAGES_STORE) private readonly messages: MessagesStore,
    @Inject(CAUGHT_UP) private readonly caughtUp: CaughtUp,
  ) {}

  /** State, timeline and attempts of one message; 404 where the account has none of this id. */
  @Get(':message_id')
  async get(@AccountId() accountId: string, @Param('message_id') messageId: string): Promise<MessageAnswer> {
    const found = isId(messageId)
      ? await this.twice(
          () => this.load(accountId, messageId),
          (answer) => answer !== undefined,
        )
      : undefined;
    if (!found) throw new Problem('not_found', 'The account has no message of this id.');
    return found;
  }

  /** Newest first; `next_cursor` is null on the last page. 422 where a parameter is bad. */
  @Get()
  async search(@AccountId() accountId: string, @Query() query: Record<string, unknown>): Promise<Page<MessageAnswer>> {
    const read = readSearchQuery(query);
    const found = await this.twice(
      () => this.find(accountId, read),
      (records) => records.length > 0 || read.page.before !== undefined,
    );
    const page = pageOf(found, read.page.limit, answerOfRecord, ({ messageId }) => cursorOf(messageId));
    return { ...page, data: page.data.filter((answer) => answer !== undefined) };
  }

  /** Looks once more after catching up with what was accepted, where the first look does not do. */
  private async twice<T>(look: () => Promise<T>, does: (seen: T) => boolean): Promise<T> {
    const seen = await look();
    if (does(seen)) return seen;
    await this.caughtUp(topicsOf(TOPICS.messageRequested), WAIT_MS);
    return look();
  }

  private async load(accountId: string, messageId: string): Promise<MessageAnswer | undefined> {
    const [record] = await this.messages.load([{ accountId, messageId }]);
    return record && answerOfRecord(record);
  }

  private find(accountId: string, { filter, page }: SearchQuery): Promise<MessageRecord[]> {
    return this.messages.search(accountId, filter, { ...page, limit: page.limit + 1 });
  }
}
