import { ClaimProgress } from './claim.progress';

describe('ClaimProgress', () => {
  let now: number;
  let returned: (string | number | undefined)[];
  let led: ClaimProgress;
  beforeEach(() => {
    now = 1_000;
    returned = [];
    led = new ClaimProgress(() => now, {
      turn: (ms) => returned.push('turn', ms),
      place: (hop) => returned.push('place', hop),
    });
  });

  it('returns its turn after speaking and its place when its outcome is submitted, each once', () => {
    led.turnBegan();
    now += 20;
    led.turnEnded();
    expect(returned).toEqual(['turn', 20]);
    led.submitted(7);
    expect(returned).toEqual(['turn', 20, 'place', undefined]);
    led.turnEnded();
    led.submitted(null);
    expect(led.finish()).toBe(7);
    expect(returned).toEqual(['turn', 20, 'place', undefined]);
  });

  it('says with its place what the attempt says about the hop', () => {
    led.turnBegan();
    led.turnEnded('throttling');
    expect(led.finish()).toBe(0);
    expect(returned).toEqual(['turn', 0, 'place', 'throttling']);
  });

  it('has no turn to return if it never spoke', () => {
    led.submitted(null);
    expect(led.finish()).toBeNull();
    expect(returned).toEqual(['place', undefined]);
  });

  it('returns turn and place, and is due at once, if it ended without an outcome', () => {
    led.turnBegan();
    now += 5;
    expect(led.finish()).toBe(0);
    expect(returned).toEqual(['turn', 5, 'place', undefined]);
  });
});
