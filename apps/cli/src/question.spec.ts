import { meant } from './question';

it('asks of one as of one, and of more as of more', () => {
  expect(meant(1, 'message', 'all of them', 'retried')).toBe('1 message (all of them) is to be retried.');
  expect(meant(120, 'dead letter', 'topic t', 'discarded')).toBe('120 dead letters (topic t) are to be discarded.');
});
