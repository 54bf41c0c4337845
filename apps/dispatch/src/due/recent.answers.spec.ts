import type { HopState } from '../lifecycle/delivery';
import { RecentAnswers } from './recent.answers';

const NOW = 1_800_000_000_000;
const stateOf = (name: string): HopState | undefined =>
  /\d/.test(name) ? 'unable' : name === name.toLowerCase() ? undefined : 'throttling';
const answersOf = (list: string, at = NOW): RecentAnswers => {
  const answers = new RecentAnswers();
  // A capital letter: throttled. A digit: the hop could not take it.
  for (const name of list) answers.add({ domain: name.toLowerCase(), hop: stateOf(name), begun: at, at });
  return answers;
};

describe('the recent answers of a hop', () => {
  it('are the last 24', () => {
    const answers = answersOf('A'.repeat(6) + 'b'.repeat(18));
    expect(answers.size).toBe(24);
    expect(answers.throttled(NOW)).toEqual({ count: 6, share: 0.25 });
    for (let count = 0; count < 6; count += 1) answers.add({ domain: 'b', hop: undefined, begun: NOW, at: NOW });
    expect(answers.throttled(NOW)).toEqual({ count: 0, share: 0 });
    answers.clear();
    expect(answers.size).toBe(0);
  });

  it('are those of the last minute, on either side of a clock that is set', () => {
    expect(answersOf('AAb').throttled(NOW + 61_000)).toEqual({ count: 0, share: 0 });
    expect(answersOf('AAb').throttled(NOW - 61_000)).toEqual({ count: 0, share: 0 });
    expect(answersOf('AAbb').throttled(NOW + 59_000)).toEqual({ count: 2, share: 0.5 });
  });

  it('count those that could not be taken with the throttled ones, or without', () => {
    const answers = answersOf('A12b');
    expect(answers.throttled(NOW)).toEqual({ count: 1, share: 0.25 });
    expect(answers.putOff(NOW)).toEqual({ count: 3, share: 0.75 });
  });

  it.each([
    ['AAbc', true],
    ['AABc', false],
    ['AAb', false],
    ['AA', false],
    ['bc', false],
    ['bcd', true],
    ['', false],
    ['A1bc', false],
    ['1bc', true],
  ])('%j may be about one domain: %s', (list, itself) => {
    expect(answersOf(list).areOfOneDomain(NOW)).toBe(itself);
  });
});
