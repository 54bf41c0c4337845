import { Controller, Get, Inject, Param, Query, UseGuards } from '@nestjs/common';
import { isId } from '@lettermill/contract';
import { timeOfUuid, type MessageAnswer } from '@lettermill/events';
import { notKnownYet, Problem } from '@lettermill/problems';
import { AccountId, InternalGuard, pageOf, type Page } from '@lettermill/runtime';
import { answerOf } from '../timeline/message.answer';
import { acceptedOf } from '../timeline/message.facts';
import { ID_SLACK_MS, type MessageRecord } from '../timeline/message.record';
import { MESSAGES_STORE, type MessagesStore } from '../timeline/messages.store';
import { cursorOf, readSearchQuery, type SearchQuery } from './search.query';
import { ViewProgress } from './view.progress';

const acceptedAt = ({ facts }: MessageRecord) => Date.parse(acceptedOf(facts)!.at);

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
    const known = await this.progress.has(Infinity);
    const then = await look();
    if (!then) throw known ? noMessage() : notReadYet();
    return then;
  }

  /**
   * Newest first; `next_cursor` is null on the last page. 422 if a parameter is invalid, 503 if it names something that is not known yet.
   */
  @Get()
  async search(@AccountId() accountId: string, @Query() query: Record<string, unknown>): Promise<Page<MessageAnswer>> {
    const read = readSearchQuery(query);
    const found = await this.found(accountId, read);
    const page = pageOf(found, read.page.limit, answerOfRecord, ({ messageId }) => cursorOf(messageId));
    return { ...page, data: page.data.filter((answer) => answer !== undefined) };
  }

  /**
   * A search by request returns all its messages or rejects: a caller who has the 202 would take a part for the whole. Any other search
   * returns what has been read so far.
   */
  private async found(accountId: string, read: SearchQuery): Promise<MessageRecord[]> {
    const { requestId, externalMessageId } = read.filter;
    if (requestId !== undefined) return this.ofRequest(accountId, requestId, read);
    const found = await this.find(accountId, read);
    if (found.length > 0 || read.page.before !== undefined) return found;
    const known = await this.progress.has(Infinity);
    const then = await this.find(accountId, read);
    if (then.length === 0 && !known && externalMessageId !== undefined) throw notReadYet();
    return then;
  }

  private async ofRequest(accountId: string, requestId: string, read: SearchQuery): Promise<MessageRecord[]> {
    const asked = timeOfUuid(requestId);
    await this.mustHave(asked);
    const found = await this.find(accountId, read);
    const [one] = found.length > 0 ? found : await this.messages.search(accountId, { requestId }, { limit: 1 });
    const accepted = one ? acceptedAt(one) : Infinity;
    if (accepted <= asked + ID_SLACK_MS) return found;
    // The id of the request may be older than its acceptance, too.
    await this.mustHave(accepted);
    return this.find(accountId, read);
  }

  private async mustHave(acceptedBy: number): Promise<void> {
    if (!(await this.progress.has(acceptedBy))) throw notReadYet();
  }

  private async load(accountId: string, messageId: string): Promise<MessageAnswer | undefined> {
    const [record] = await this.messages.load([{ accountId, messageId }]);
    return record && answerOfRecord(record);
  }

  private find(accountId: string, { filter, page }: SearchQuery): Promise<MessageRecord[]> {
    return this.messages.search(accountId, filter, { ...page, limit: page.limit + 1 });
  }
}
