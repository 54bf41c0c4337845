import { questionOf } from './question';

it('the question uses the singular for one, and the plural for more', () => {
  expect(questionOf(1, 'message', 'all of them', 'retried')).toBe('1 message (all of them) is to be retried.');
  expect(questionOf(120, 'dead letter', 'topic t', 'discarded')).toBe(
    '120 dead letters (topic t) are to be discarded.',
  );
});
