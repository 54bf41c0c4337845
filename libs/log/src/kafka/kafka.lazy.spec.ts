let loaded = false;
jest.mock('kafkajs', () => {
  loaded = true;
  return {};
});

it('loads kafkajs only when a log on Kafka is opened', async () => {
  const { KafkaLog } = await import('../index.js');
  expect(typeof KafkaLog.open).toBe('function');
  expect(loaded).toBe(false);
});
