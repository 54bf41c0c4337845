import { MESSAGE_STATES } from '@lettermill/events';
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
  ] as const)('of %j is %s', (filter, leading) => {
    expect(leadingOf({ ...filter, contact: 'contact' in filter ? contact : undefined } as never)).toBe(leading);
  });

  it.each(MESSAGE_STATES.map((state) => [state, state === 'sent' ? 'campaign' : 'states']))(
    'of a campaign and %s is the %s: a campaign has sent nearly all of its messages',
    (state, leading) => {
      expect(leadingOf({ campaign: 'c', states: [state] } as never)).toBe(leading);
      expect(leadingOf({ states: [state] } as never)).toBe('states');
    },
  );
});
