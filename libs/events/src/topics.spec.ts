import { ALL_TOPICS, KEPT_WHOLE, lessUrgent, priorityOf, topicOf, TOPICS, topicsOf } from './topics';

describe('topics', () => {
  it('of a family are one for each priority up to the mail, and one from there on', () => {
    expect(topicsOf(TOPICS.messageRequested)).toEqual([
      ...['message-requested-high', 'message-requested', 'message-requested-bulk'],
    ]);
    expect(topicsOf(TOPICS.contactUpserted)).toEqual([
      ...['contact-upserted-high', 'contact-upserted', 'contact-upserted-bulk'],
    ]);
    expect(topicsOf(TOPICS.messageQueued)).toEqual(['message-queued']);
  });

  it('tell the priority of what lies in them', () => {
    for (const priority of ['high', 'normal', 'bulk'] as const) {
      expect(priorityOf(topicOf(TOPICS.contactUpserted, priority))).toBe(priority);
      expect(topicOf(TOPICS.messageOutcome, priority)).toBe('message-outcome');
    }
    expect(priorityOf('message-outcome')).toBe('normal');
  });

  it('that are less urgent are those behind', () => {
    expect(ALL_TOPICS.map((topic) => lessUrgent(TOPICS.messageRequested, topic).length).slice(0, 3)).toEqual([2, 1, 0]);
    expect(lessUrgent(TOPICS.messageRequested, 'message-requested')).toEqual(['message-requested-bulk']);
  });

  it('are kept whole where contacts and campaigns are rebuilt from them', () => {
    expect(KEPT_WHOLE).toEqual([...topicsOf(TOPICS.contactUpserted), 'campaign-launched']);
  });
});
