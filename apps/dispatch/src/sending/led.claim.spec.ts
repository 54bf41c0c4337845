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

  it('gives back its turn when it has spoken and its place when its outcome is on the way, each once', () => {
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

  it('has no turn to give back where it never spoke', () => {
    led.submitted(null);
    expect(led.over()).toBeNull();
    expect(returned).toEqual(['place']);
  });

  it('gives back both, and is due at once, where nothing was told of its end', () => {
    led.speaks();
    now += 5;
    expect(led.over()).toBe(0);
    expect(returned).toEqual(['turn', 5, 'place']);
  });
});
