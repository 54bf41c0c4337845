import { installed } from '../installations/installed';
import { Lettermill, waitFor } from '../installations/lettermill';

/** The lines of the log that are about this request. */
const linesOf = (output: string, id: unknown) =>
  output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ request_id }) => request_id === id);

describe('the output of the embedded profile', () => {
  const lettermill = installed({ LOG_LEVEL: 'debug' });

  it('has no line above level debug before the greeting', () => {
    const [before] = lettermill.output.split('Lettermill is ready');
    expect(lettermill.output).toContain('Lettermill is ready');
    expect(before).not.toMatch(/"level":[3-9]/);
    // The look-up and the launch of the sample campaign are logged at level debug.
    expect(before).toMatch(/"level":20.*"route":"\/v2\/campaigns/);
  });

  it("has one line at level info per request; the owner's line is at level debug", async () => {
    const { body } = await lettermill.send({ campaign: 'welcome', to: 'ada.lovelace@example.com' });
    const { body: missing } = await lettermill.call('GET', '/v2/messages/bbbbbbbbbbbbbbbbbb');
    const lines = await waitFor(() => {
      const found = linesOf(lettermill.output, missing.request_id);
      return found.length >= 2 ? found : undefined;
    }, 'both lines');
    expect(lines.map(({ level, service, status }) => [level, service, status]).sort()).toEqual([
      [20, 'tracker', 404],
      [30, 'gateway', 404],
    ]);
    expect(linesOf(lettermill.output, body.request_id)).toMatchObject([
      { level: 30, service: 'gateway', method: 'POST', route: '/v2/send/email', status: 202 },
    ]);
    expect(lettermill.output).not.toContain('ada.lovelace');
  });

  it('says what to do if the port is in use', async () => {
    const second = await Lettermill.create({ PORT: String(lettermill.port) });
    try {
      const told = `cannot listen on port ${lettermill.port} of 127.0.0.1: another program is using it; set PORT to another port`;
      await expect(second.start()).rejects.toThrow(told);
      expect(await second.ended).toBe(1);
    } finally {
      await second.destroy();
    }
  });
});
