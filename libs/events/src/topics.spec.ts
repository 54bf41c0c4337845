import { ALL_TOPICS, COMPACTED_TOPICS, lessUrgentTopics, priorityOf, topicOf, TOPICS, topicsOf } from './topics';

describe('topics', () => {
  it('have one topic for each priority up to rendering, and a single one after it', () => {
    expect(topicsOf(TOPICS.messageRequested)).toEqual([
      'message-requested-high',
      'message-requested',
      'message-requested-bulk',
    ]);
    expect(topicsOf(TOPICS.contactUpserted)).toEqual([
      'contact-upserted-high',
      'contact-upserted',
      'contact-upserted-bulk',
    ]);
    expect(topicsOf(TOPICS.messageQueued)).toEqual(['message-queued']);
  });

  it('tell the priority of their records', () => {
    for (const priority of ['high', 'normal', 'bulk'] as const) {
      expect(priorityOf(topicOf(TOPICS.contactUpserted, priority))).toBe(priority);
      expect(topicOf(TOPICS.messageOutcome, priority)).toBe('message-outcome');
    }
    expect(priorityOf('message-outcome')).toBe('normal');
  });

  it('of lower priority are the later ones of the family', () => {
    expect(ALL_TOPICS.map((topic) => lessUrgentTopics(TOPICS.messageRequested, topic).length).slice(0, 3)).toEqual([
      2, 1, 0,
    ]);
    expect(lessUrgentTopics(TOPICS.messageRequested, 'message-requested')).toEqual(['message-requested-bulk']);
  });

  it('from which contacts and campaigns are rebuilt are kept whole', () => {
    expect(COMPACTED_TOPICS).toEqual([...topicsOf(TOPICS.contactUpserted), 'campaign-launched']);
  });
});
