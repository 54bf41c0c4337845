import { Embedded } from '../installations/embedded';
import { API_KEY, waitFor } from '../installations/lettermill';

describe('the first start', () => {
  it('creates the sample campaign before it reports that it is ready', async () => {
    const installation = await Embedded.create({ BOOTSTRAP_API_KEY: API_KEY });
    const url = `http://127.0.0.1:${installation.port}`;
    const greeted = installation.start();
    try {
      const isReady = () =>
        fetch(`${url}/health/ready`).then(
          ({ ok }) => ok || undefined,
          () => undefined,
        );
      await waitFor(isReady, 'readiness');
      const answer = await fetch(`${url}/v2/send/email`, {
        method: 'POST',
        headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({ campaign: 'welcome', to: 'ada@example.com' }),
      });
      expect(answer.status).toBe(202);
    } finally {
      await greeted.finally(() => installation.destroy());
    }
  });
});
