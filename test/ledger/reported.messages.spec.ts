import type { Lettermill } from '../installations/lettermill';
import { waitUntilSettled } from './reported.messages';

/** Its only message is in the next of these states at each call; at last it stays in the last one. */
function lettermillWith(states: string[]): Lettermill {
  let calls = 0;
  const call = async (_: string, path: string) => {
    const state = states[Math.min(calls, states.length - 1)]!;
    calls += 1;
    const asked = new URL(path, 'http://lettermill').searchParams.get('state')?.split(',') ?? [state];
    const data = asked.includes(state) ? [{ message_id: 'one', state, attempts: [], next_attempt_at: null }] : [];
    return { status: 200, body: { data, next_cursor: null } };
  };
  return { call } as unknown as Lettermill;
}

describe('waiting until messages have ended', () => {
  it('goes on while one changes from one state to another between two looks', async () => {
    const states = [...Array<string>(4).fill('uncertain'), ...Array<string>(4).fill('sending'), 'sent'];
    expect(await waitUntilSettled(lettermillWith(states), 10_000)).toMatchObject([{ state: 'sent' }]);
  });

  it('ends when nothing changes any more', async () => {
    expect(await waitUntilSettled(lettermillWith(['deferred']), 1)).toMatchObject([{ state: 'deferred' }]);
  });
});
