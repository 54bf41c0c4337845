import { partitionOf } from './partition';

describe('partitionOf', () => {
  it('never changes the partition of a key', () => {
    const keys = ['', 'a', 'default:email:ada@example.com', 'default:sms:+4366012345', 'ключ', '😀'];
    expect(keys.map((key) => partitionOf(key, 1024))).toEqual([11, 435, 215, 20, 354, 10]);
  });

  it('spreads similar keys evenly', () => {
    const counts = new Array<number>(8).fill(0);
    for (let i = 0; i < 8000; i += 1) counts[partitionOf(`default:email:user${i}@example.com`, 8)]! += 1;
    expect(Math.min(...counts)).toBeGreaterThan(800);
    expect(Math.max(...counts)).toBeLessThan(1200);
  });
});
