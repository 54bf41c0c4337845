import { Lettermill } from '../installations/lettermill';

describe('a configuration that can not be used', () => {
  it('is refused with every fault by name, and no secret repeated', async () => {
    const lettermill = await Lettermill.create({
      PORT: 'x',
      RATE_LIMIT: 'fast',
      RETENTION_DAYS: '-1',
      SMTP_URL: 'smtp://u:geheim@mail.example.com?tls=off',
      KAFKA_BROKERS: 'k:9092',
    });
    const failure = await lettermill.start().then(
      () => '',
      (error: Error) => error.message,
    );
    for (const name of ['PORT', 'RATE_LIMIT', 'RETENTION_DAYS', 'SMTP_URL', 'MONGODB_URI']) {
      expect(failure).toContain(name);
    }
    expect(failure).toContain('ended with 78');
    expect(failure).not.toContain('geheim');
    await lettermill.destroy();
  });
});
