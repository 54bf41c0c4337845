import { Controller, Inject } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { TOPICS, topicsOf, type AnyEvent } from '@lettermill/events';
import { EventPublisher, type EventBatch } from '@lettermill/log';
import { CLOCK, startSpan, type Clock } from '@lettermill/runtime';
import { isRenderFailure, type Rendered, type RenderOutcome } from '@lettermill/templates';
import { Bodies } from '../bodies/bodies';
import { CampaignVersions } from './campaign.versions';
import { failedEvent, isCause, queuedEvent, type Cause } from './mail.events';
import { isFailure, MailDrafts, type Draft } from './mail.draft';
import { observeQueuedMails } from './render.metrics';
import { RenderThreads } from './render.threads';

/** Messages rendered at a time, at most: the results stay in memory until they are published. */
const SLICE_SIZE = 100;
/** Characters of rendered bodies after which they are published. */
const PUBLISH_AFTER_CHARACTERS = 8 * 1024 * 1024;
/** How long rendered mails wait at most for others of their batch, whose templates may hang. */
const PUBLISH_AFTER_MS = 250;

/** ContactUpserted → MessageQueued, or MessageFailed. Handling an event again publishes the same mail again. */
@Controller()
export class RenderConsumer {
  constructor(
    private readonly versions: CampaignVersions,
    private readonly drafts: MailDrafts,
    private readonly threads: RenderThreads,
    private readonly bodies: Bodies,
    private readonly publisher: EventPublisher,
    @Inject(CLOCK) private readonly now: Clock,
  ) {}

  @EventPattern(topicsOf(TOPICS.contactUpserted))
  on(batch: EventBatch): Promise<void> {
    return this.renderAll(batch.events.filter(isCause));
  }

  private async renderAll(causes: Cause[]): Promise<void> {
    let events: AnyEvent[] = [];
    let publishedAt = performance.now();
    for (let from = 0; from < causes.length;) {
      const rendered = await this.renderSome(causes.slice(from, from + SLICE_SIZE));
      from += rendered.length;
      events.push(...rendered);
      if (charactersOf(events) > PUBLISH_AFTER_CHARACTERS || performance.now() - publishedAt > PUBLISH_AFTER_MS) {
        await this.publish(events);
        events = [];
        publishedAt = performance.now();
      }
    }
    if (events.length > 0) await this.publish(events);
  }

  private async publish(events: AnyEvent[]): Promise<void> {
    await this.publisher.publish(events);
    observeQueuedMails(events, this.now());
  }

  /** The events of the first of these, in order, as many as are drafted at a time. */
  private async renderSome(causes: Cause[]): Promise<AnyEvent[]> {
    const refOf = ({ data }: Cause) => ({
      accountId: data.account_id,
      id: data.campaign.id,
      version: data.campaign.version,
    });
    const campaignOf = await this.versions.find(causes.map(refOf));
    const drafts = await this.drafts.draftSome(causes, (cause) => campaignOf(refOf(cause)));
    const ready = drafts.filter((draft): draft is Draft => !isFailure(draft));
    const rendered = await this.renderDrafts(ready);
    const eventByDraft = new Map(ready.map((draft, index) => [draft, rendered[index]!]));
    return drafts.map((draft, index) =>
      isFailure(draft) ? failedEvent(causes[index]!, draft, this.timestamp()) : eventByDraft.get(draft)!,
    );
  }

  private renderDrafts(ready: Draft[]): Promise<AnyEvent[]> {
    const spans = ready.map(({ cause }) => startSpan('renderer', { name: 'render', parent: cause.traceparent }));
    const jobs = ready.map(({ job }) => job);
    return this.threads.renderEach(jobs, (outcome, at) => {
      spans[at]?.end(undefined, isRenderFailure(outcome) ? outcome.code : undefined);
      return this.eventOf(ready[at]!, outcome);
    });
  }

  private async eventOf(draft: Draft, outcome: RenderOutcome): Promise<AnyEvent> {
    const { cause, campaign } = draft;
    if (isRenderFailure(outcome)) return failedEvent(cause, outcome, this.timestamp());
    const bodies = await this.storeBodies(cause.data.account_id, outcome);
    return queuedEvent(cause, campaign, draft, bodies, this.timestamp());
  }

  private async storeBodies(accountId: string, { subject, text, html }: Rendered) {
    const store = (body: string | undefined) => (body === undefined ? undefined : this.bodies.store(accountId, body));
    return { subject, text: await store(text), html: await store(html) };
  }

  private timestamp(): string {
    return new Date(this.now()).toISOString();
  }
}

function charactersOf(events: AnyEvent[]): number {
  const length = (body: unknown) => (typeof body === 'string' ? body.length : 0);
  return events.reduce((sum, event) => {
    return event.type === 'MessageQueued' ? sum + length(event.data.mail.text) + length(event.data.mail.html) : sum;
  }, 0);
}
