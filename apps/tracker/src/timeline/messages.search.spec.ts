import { MESSAGE_STATES } from '@lettermill/events';
import { ALONE } from '../testing/searches';
import { leadingOf } from './messages.search';

describe('leadingOf', () => {
  const contact = ['=a'];

  it.each([
    [{}, undefined],
    [{ from: 1, to: 2 }, undefined],
    [
      { states: ['sent'], campaign: 'c', reason: 'r', contact, requestId: 'r', externalMessageId: 'e' },
      'externalMessageId',
    ],
    [{ states: ['sent'], campaign: 'c', reason: 'r', contact, requestId: 'r' }, 'requestId'],
    [{ states: ['failed'], campaign: 'c', reason: 'r', contact }, 'contact'],
    [{ states: ['failed'], campaign: 'c', reason: 'r' }, 'reason'],
    [{ campaign: 'c' }, 'campaign'],
    [{ states: ['failed', 'deferred'], campaign: 'c' }, 'states'],
    [{ states: ['failed', 'sent'], campaign: 'c' }, 'campaign'],
  ] as const)('returns for %j: %s', (filter, leading) => {
    expect(leadingOf({ ...filter, contact: 'contact' in filter ? contact : undefined } as never)).toBe(leading);
  });

  it.each(ALONE.filter((one) => !('from' in one)))(
    'returns for %j its only filter, so that no search reads all messages to find few',
    (filter) => expect([leadingOf(filter)]).toEqual(Object.keys(filter)),
  );

  it.each(MESSAGE_STATES.map((state) => [state, state === 'sent' ? 'campaign' : 'states']))(
    'returns for a campaign and the state %s: %s, as a campaign has sent nearly all of its messages',
    (state, leading) => {
      expect(leadingOf({ campaign: 'c', states: [state] } as never)).toBe(leading);
      expect(leadingOf({ states: [state] } as never)).toBe('states');
    },
  );
});
