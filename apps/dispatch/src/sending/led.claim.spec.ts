import { LedClaim } from './led.claim';

describe('LedClaim', () => {
  let now: number;
  let returned: (string | number)[];
  let led: LedClaim;
  beforeEach(() => {
    now = 1_000;
    returned = [];
    led = new LedClaim(() => now, {
      turn: (ms) => returned.push('turn', ms),
      place: () => returned.push('place'),
    });
  });

  it('returns its turn after speaking and its place when its outcome is submitted, each once', () => {
    led.speaks();
    now += 20;
    led.spoken();
    expect(returned).toEqual(['turn', 20]);
    led.submitted(7);
    expect(returned).toEqual(['turn', 20, 'place']);
    led.spoken();
    led.submitted(null);
    expect(led.over()).toBe(7);
    expect(returned).toEqual(['turn', 20, 'place']);
  });

  it('has no turn to return if it never spoke', () => {
    led.submitted(null);
    expect(led.over()).toBeNull();
    expect(returned).toEqual(['place']);
  });

  it('returns turn and place, and is due at once, if it ended without an outcome', () => {
    led.speaks();
    now += 5;
    expect(led.over()).toBe(0);
    expect(returned).toEqual(['turn', 5, 'place']);
  });
});
