import { Partitioners } from 'kafkajs';
import { murmur2, partitionOf } from './kafka.partition';

describe('murmur2', () => {
  // From the tests of the Java client.
  it.each([
    ['21', -973932308],
    ['foobar', -790332482],
    ['a-little-bit-long-string', -985981536],
    ['a-little-bit-longer-string', -1486304829],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
    ['abc', 479470107],
  ])('hashes %s as the Java client does', (key, hash) => {
    expect(murmur2(Buffer.from(key))).toBe(hash);
  });
});

describe('partitionOf', () => {
  const partitioner = Partitioners.DefaultPartitioner();
  const theirs = (key: string, partitions: number) =>
    partitioner({
      topic: '',
      partitionMetadata: Array.from({ length: partitions }, (_, partitionId) => {
        return { partitionId, leader: 0, replicas: [], isr: [], partitionErrorCode: 0 };
      }),
      message: { key, value: null },
    });

  it('puts every key into the same partition as kafkajs', () => {
    const texts = ['', 'é', '€uro', '𝄞', 'x'.repeat(300), 'ÿ\u0000\u0080'];
    const lengths = Array.from({ length: 64 }, (_, length) => 'aZ9é~'.repeat(13).slice(0, length));
    const contacts = Array.from({ length: 500 }, (_, i) => `default:email:user${i * 7919}@example.com`);
    for (const key of [...texts, ...lengths, ...contacts]) {
      for (const partitions of [1, 3, 8, 1024]) expect(partitionOf(key, partitions)).toBe(theirs(key, partitions));
    }
  });
});
