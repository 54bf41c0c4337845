import { neededTopics } from './needed.topics';

describe('the topics that a service needs', () => {
  it('are those it writes', () => {
    expect(neededTopics('gateway', [])).toEqual([
      'message-requested-high',
      'message-requested',
      'message-requested-bulk',
    ]);
  });

  it('are also those it reads, each once, and the topic of dead letters', () => {
    expect(neededTopics('contacts', ['message-requested', 'message-outcome']).sort()).toEqual([
      'contact-upserted',
      'contact-upserted-bulk',
      'contact-upserted-high',
      'dead-letter',
      'message-outcome',
      'message-requested',
    ]);
    expect(neededTopics('tracker', ['message-queued'])).toEqual(['message-queued', 'dead-letter']);
  });
});
