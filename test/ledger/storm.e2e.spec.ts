import { stormRun } from './storm.run';

const { KAFKA_BROKERS, MONGODB_URI } = process.env;

if (!KAFKA_BROKERS || !MONGODB_URI) {
  it('left out: the storm needs KAFKA_BROKERS and MONGODB_URI', () => {
    expect(KAFKA_BROKERS && MONGODB_URI).toBeFalsy();
  });
} else {
  /** The short run; the long ones are `npm run test:faults -- 1 storm starttls tls`. */
  describe('processes that are struck at random, two at the same time, while the TLS of their next hop misbehaves', () => {
    it('lose nothing that was accepted, repeat nothing that is not explained, and do as they were told', async () => {
      const report = await stormRun({
        replicas: { gateway: 2, contacts: 2, renderer: 2, dispatch: 2 },
        strikes: 12,
        atOnce: 2,
        freezes: [1_000, 20_000],
        rate: 20,
        patienceMs: 100_000,
        settings: { KAFKA_BROKERS, MONGODB_URI },
        tls: 'starttls',
      });
      expect(report).toMatchObject({ faults: [], strikes: 12 });
      expect(Math.min(report.accepted, report.orders)).toBeGreaterThan(0);
    }, 600_000);
  });
}
