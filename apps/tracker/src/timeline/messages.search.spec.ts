import { MESSAGE_STATES } from '@lettermill/events';
import { leadingOf } from './messages.search';

describe('leadingOf', () => {
  const contact = ['=a'];

  it.each([
    [{}, undefined],
    [{ from: 1, to: 2 }, undefined],
    [
      { state: 'sent', campaign: 'c', reason: 'r', contact, requestId: 'r', externalMessageId: 'e' },
      'externalMessageId',
    ],
    [{ state: 'sent', campaign: 'c', reason: 'r', contact, requestId: 'r' }, 'requestId'],
    [{ state: 'failed', campaign: 'c', reason: 'r', contact }, 'contact'],
    [{ state: 'failed', campaign: 'c', reason: 'r' }, 'reason'],
    [{ campaign: 'c' }, 'campaign'],
  ] as const)('of %j is %s', (filter, leading) => {
    expect(leadingOf({ ...filter, contact: 'contact' in filter ? contact : undefined } as never)).toBe(leading);
  });

  it.each(MESSAGE_STATES.map((state) => [state, state === 'sent' ? 'campaign' : 'state']))(
    'of a campaign and %s is the %s: a campaign has sent nearly all of its messages',
    (state, leading) => {
      expect(leadingOf({ campaign: 'c', state } as never)).toBe(leading);
      expect(leadingOf({ state } as never)).toBe('state');
    },
  );
});
