import { Controller, Get, Inject, Param, Query, UseGuards } from '@nestjs/common';
import { isId } from '@lettermill/contract';
import { timeOfUuid, type MessageAnswer } from '@lettermill/events';
import { notKnownYet, Problem } from '@lettermill/problems';
import { AccountId, InternalGuard, type Page } from '@lettermill/runtime';
import { answerOf } from '../timeline/message.answer';
import { acceptancesOf } from '../timeline/message.facts';
import { ID_SLACK_MS, type MessageRecord } from '../timeline/message.record';
import { MESSAGES_STORE, type MessagesFound, type MessagesStore } from '../timeline/messages.store';
import { cursorOf, readSearchQuery, type SearchQuery } from './search.query';
import { ViewProgress } from './view.progress';

/** When that request recorded the message, which an earlier one may have recorded before; Infinity if that is not read yet. */
function acceptedAt({ facts }: MessageRecord, requestId: string): number {
  const accepted = acceptancesOf(facts).find(({ request_id }) => request_id === requestId);
  return accepted ? Date.parse(accepted.at) : Infinity;
}

const answerOfRecord = ({ messageId, facts }: MessageRecord) => answerOf(messageId, facts);

const noMessage = () => new Problem('not_found', 'The account has no message with this id.');

const notReadYet = () => notKnownYet('Not everything that was accepted by then has been processed yet.');

/** Messages of the account; called by the gateway. */
@Controller('v2/messages')
@UseGuards(InternalGuard)
export class MessagesController {
  constructor(
    @Inject(MESSAGES_STORE) private readonly messages: MessagesStore,
    private readonly progress: ViewProgress,
  ) {}

  /** State, timeline and attempts of one message; 404 if the account has no message of this id, 503 if that is not known yet. */
  @Get(':message_id')
  async get(@AccountId() accountId: string, @Param('message_id') messageId: string): Promise<MessageAnswer> {
    if (!isId(messageId)) throw noMessage();
    const look = () => this.load(accountId, messageId);
    const found = await look();
    if (found) return found;
    // An id may be older than the acceptance of its message: a repeated call takes over the ids of the first one.
    const isComplete = await this.progress.hasRead(Infinity);
    const foundLater = await look();
    if (!foundLater) throw isComplete ? noMessage() : notReadYet();
    return foundLater;
  }

  /**
   * Newest first; `next_cursor` is null on the last page. 422 if a parameter is invalid, 503 if it names something that is not known yet.
   */
  @Get()
  async search(@AccountId() accountId: string, @Query() query: Record<string, unknown>): Promise<Page<MessageAnswer>> {
    const searchQuery = readSearchQuery(query);
    const { records, hasMore } = await this.searchOrWait(accountId, searchQuery);
    const data = records.map(answerOfRecord).filter((answer) => answer !== undefined);
    return { data, next_cursor: hasMore ? cursorOf(records.at(-1)!.messageId) : null };
  }

  /**
   * A search by request, or until a time, returns all its messages or rejects: its caller would take a part for the whole. Any other search
   * waits a moment for what was accepted before it, such as the message answered with 202 just now, and returns what has been read then.
   */
  private async searchOrWait(accountId: string, query: SearchQuery): Promise<MessagesFound> {
    const { requestId, externalMessageId, to } = query.filter;
    if (requestId !== undefined) return this.searchByRequest(accountId, requestId, query);
    // What is accepted meanwhile is newer than the pages that follow.
    if (query.page.before !== undefined) return this.find(accountId, query);
    if (externalMessageId !== undefined) return this.searchByExternalId(accountId, query);
    if (to === undefined) await this.progress.hasRead(Infinity);
    else await this.requireRead(to);
    return this.find(accountId, query);
  }

  /** One message has it: if it is found, there is nothing to wait for. */
  private async searchByExternalId(accountId: string, query: SearchQuery): Promise<MessagesFound> {
    const found = await this.find(accountId, query);
    if (found.records.length > 0) return found;
    const isComplete = await this.progress.hasRead(Infinity);
    const foundLater = await this.find(accountId, query);
    if (foundLater.records.length === 0 && !isComplete) throw notReadYet();
    return foundLater;
  }

  private async searchByRequest(accountId: string, requestId: string, query: SearchQuery): Promise<MessagesFound> {
    const requestedAt = timeOfUuid(requestId);
    await this.requireRead(requestedAt);
    const found = await this.find(accountId, query);
    const [one] = found.records.length > 0 ? found.records : await this.findAnyOf(accountId, requestId);
    const accepted = one ? acceptedAt(one, requestId) : Infinity;
    if (accepted <= requestedAt + ID_SLACK_MS) return found;
    // The id of the request may be older than its acceptance, too.
    await this.requireRead(accepted);
    return this.find(accountId, query);
  }

  private async requireRead(acceptedBy: number): Promise<void> {
    if (!(await this.progress.hasRead(acceptedBy))) throw notReadYet();
  }

  private async load(accountId: string, messageId: string): Promise<MessageAnswer | undefined> {
    const [record] = await this.messages.load([{ accountId, messageId }]);
    return record && answerOfRecord(record);
  }

  private async findAnyOf(accountId: string, requestId: string): Promise<MessageRecord[]> {
    return (await this.messages.search(accountId, { requestId }, { limit: 1 })).records;
  }

  private find(accountId: string, { filter, page }: SearchQuery): Promise<MessagesFound> {
    return this.messages.search(accountId, filter, page);
  }
}
