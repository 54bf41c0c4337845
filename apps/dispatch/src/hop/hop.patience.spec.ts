import { Patience } from './hop.patience';

describe('how long a hop is waited for', () => {
  let patience: Patience;
  beforeEach(() => (patience = new Patience(330_000)));

  it('is as long as can be if nothing is known of it', () => {
    expect(patience.ms).toBeUndefined();
    patience.lost(0, 1);
    expect(patience.ms).toBeUndefined();
  });

  it('is four times as long as usual, and at least five seconds', () => {
    patience.opened(3);
    expect(patience.ms).toBe(5_000);
    for (let count = 0; count < 3; count += 1) patience.opened(10_000);
    expect(patience.ms).toBe(40_000);
    patience.opened(90_000);
    expect(patience.ms).toBe(80_000);
  });

  it('is four times as long each time that it was too short, and as before when a connection opens', () => {
    patience.opened(3);
    patience.lost(0, 5_000);
    patience.lost(1, 5_001);
    patience.lost(4_000, 5_002);
    expect(patience.ms).toBe(20_000);
    patience.lost(5_002, 25_002);
    patience.lost(5_003, 25_003);
    expect(patience.ms).toBe(80_000);
    for (let now = 30_000; now < 40_000; now += 1_000) patience.lost(now, now + 1);
    expect(patience.ms).toBeUndefined();
    patience.opened(3);
    expect(patience.ms).toBe(5_000);
  });
});
