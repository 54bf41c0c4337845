import { installedWithSink } from '../installations/installed';
import { API_KEY, waitFor } from '../installations/lettermill';
import { lettermillCommand } from './command.line';

describe('a false wave of bounces', () => {
  const { lettermill } = installedWithSink({ RATE_LIMIT: '0' });
  const command = (...args: string[]) =>
    lettermillCommand({ GATEWAY_URL: lettermill.url, LETTERMILL_API_KEY: API_KEY }, ...args);
  const wave = ['--all', '--reason', 'mailbox_unknown'];

  beforeAll(() => lettermill.launch('receipt'));

  it('is undone by two commands', async () => {
    const to = Array.from({ length: 20 }, (_, i) => `refused-${i}@wave.example`);
    await lettermill.call('PUT', '/v2/suppressions/angry@wave.example', { reason: 'complained' });
    const { body } = await lettermill.send({ campaign: 'receipt', to: [...to, 'refused-@other.example'].slice(1) });
    const ids = body.messages.map(({ message_id }) => message_id);
    for (const id of ids) await lettermill.until(id, 'bounced');
    const listed = async () => (await command('suppressions', 'list', '--limit', '500')).out.split('\n').length - 2;
    await waitFor(async () => (await listed()) === 21, 'every suppression');
    const removed = await command(
      'suppressions',
      'remove',
      ...wave,
      '--domain',
      'wave.example',
      '--since',
      '1h',
      '--yes',
    );
    expect(removed).toEqual({ code: 0, out: '19 removed\n', err: '' });
    const left = await command('suppressions', 'list');
    expect(left.out.match(/^\S+@\S+/gm)!.sort()).toEqual(['angry@wave.example', 'refused-@other.example']);
    const retried = await command('messages', 'retry', ...wave, '--state', 'bounced', '--yes');
    expect(retried).toMatchObject({ code: 3, out: expect.stringMatching(/^19 due again\n.*address_suppressed/) });
    const attempts = async () => (await lettermill.message(ids[0]!)).body.attempts.length;
    await waitFor(async () => (await attempts()) === 2, 'another attempt');
  });
});
