import { newId } from '@lettermill/events';
import fc from 'fast-check';
import { decideClaim, earlierIdsOf } from './claims.decide';
import { namelessIdsOf, type Claim, type HeldName } from './claims.store';

const claim: Claim = {
  accountId: 'a',
  requestId: 'new',
  names: [
    { kind: 'external', value: 'x', messageId: 'n1' },
    { kind: 'key', value: 'k', messageId: null },
  ],
  messageIds: ['n1', 'n2'],
  fingerprint: 'same',
  leaseUntil: 99,
  keyExpiresAt: 999,
};

const held = (more: Partial<HeldName>): HeldName => ({
  kind: 'external',
  value: 'x',
  messageId: 'o1',
  requestId: 'old',
  nameless: ['o2'],
  fingerprint: 'same',
  state: 'claimed',
  leaseUntil: 10,
  ack: null,
  ...more,
});
const key = (more: Partial<HeldName>) => held({ kind: 'key', value: 'k', messageId: null, ...more });

describe('decideClaim', () => {
  it('proceeds if nobody holds a name', () => {
    expect(decideClaim(claim, [], 5)).toEqual({ do: 'proceed' });
  });

  it('refuses a key that was accepted with another body', () => {
    const used = key({ fingerprint: 'other', state: 'confirmed', ack: '{}' });
    for (const now of [5, 50]) expect(decideClaim(claim, [used], now)).toEqual({ do: 'refuse-key' });
  });

  it('waits for the first request with a key that comes with another body, which is refused if that one died', () => {
    const unanswered = [held({}), key({ fingerprint: 'other' })];
    expect(decideClaim(claim, unanswered, 10)).toEqual({ do: 'wait', leaseUntil: 10 });
    expect(decideClaim(claim, unanswered, 11)).toEqual({
      do: 'refuse-unanswered',
      requestIds: ['old'],
      otherBody: true,
      taken: [],
    });
  });

  it('checks the key before the external ids: a retry after a lost response gets the first 202', () => {
    const confirmed = [held({ state: 'confirmed' }), key({ state: 'confirmed', ack: '{"first":1}' })];
    expect(decideClaim(claim, confirmed, 5)).toEqual({ do: 'replay', ack: '{"first":1}', requestId: 'old' });
  });

  it('refuses used external ids, and returns the message that has each', () => {
    const taken = [held({ state: 'confirmed' }), held({ value: 'y', messageId: 'o5', state: 'confirmed' })];
    expect(decideClaim(claim, taken, 5)).toEqual({
      do: 'refuse-ids',
      taken: [
        { value: 'x', messageId: 'o1' },
        { value: 'y', messageId: 'o5' },
      ],
    });
  });

  it('waits while the first request holds its lease, to the last millisecond', () => {
    expect(decideClaim(claim, [held({})], 10)).toEqual({ do: 'wait', leaseUntil: 10 });
    expect(decideClaim(claim, [key({})], 10)).toEqual({ do: 'wait', leaseUntil: 10 });
    expect(decideClaim(claim, [held({})], 11)).toMatchObject({ do: 'take-over' });
  });

  it('waits for the lease that ends last', () => {
    const several = [
      held({ leaseUntil: 12 }),
      held({ value: 'y', messageId: 'o5', requestId: 'older', leaseUntil: 10 }),
    ];
    expect(decideClaim(claim, several, 11)).toEqual({ do: 'wait', leaseUntil: 12 });
    expect(decideClaim(claim, several.reverse(), 11)).toEqual({ do: 'wait', leaseUntil: 12 });
  });

  it('waits for a twin that has confirmed its ids but not its key, and takes over once its lease has expired', () => {
    const half = [held({ state: 'confirmed' }), key({})];
    expect(decideClaim(claim, half, 10)).toEqual({ do: 'wait', leaseUntil: 10 });
    expect(decideClaim(claim, half, 11)).toMatchObject({
      do: 'take-over',
      claim: { requestId: 'old', messageIds: ['o1', 'o2'] },
      held: [{ kind: 'key', value: 'k' }],
    });
    const byAnother = [held({ state: 'confirmed', requestId: 'another' }), key({})];
    expect(decideClaim(claim, byAnother, 10)).toEqual({ do: 'refuse-ids', taken: [{ value: 'x', messageId: 'o1' }] });
  });

  it('names the request that died, whose messages may be on the log, also if another id is taken', () => {
    const byAnother = [held({ state: 'confirmed', requestId: 'another' }), key({})];
    expect(decideClaim(claim, byAnother, 11)).toEqual({
      do: 'refuse-unanswered',
      requestIds: ['old'],
      otherBody: false,
      taken: [{ value: 'x', messageId: 'o1' }],
    });
  });

  it('takes over the whole request with all its first ids if the body is the same', () => {
    expect(decideClaim(claim, [held({}), key({})], 11)).toMatchObject({
      do: 'take-over',
      claim: {
        requestId: 'old',
        messageIds: ['o1', 'o2'],
        names: [
          { kind: 'external', value: 'x', messageId: 'o1' },
          { kind: 'key', value: 'k' },
        ],
      },
    });
  });

  it('takes over the first id of each external name if the body differs, with new ids for the rest', () => {
    expect(decideClaim(claim, [held({ fingerprint: 'other', nameless: [] })], 11)).toMatchObject({
      do: 'take-over',
      claim: { requestId: 'new', messageIds: ['o1', 'n2'], names: [{ messageId: 'o1' }, { kind: 'key' }] },
    });
  });

  it('refuses an external id for another contact, as the first one’s message may be on the log', () => {
    const to = (contact: string): Claim => ({ ...claim, names: [{ ...claim.names[0]!, contact }, claim.names[1]!] });
    const first = held({ fingerprint: 'other', contact: 'ada', nameless: [] });
    expect(decideClaim(to('grace'), [first], 10)).toEqual({ do: 'wait', leaseUntil: 10 });
    expect(decideClaim(to('grace'), [first], 11)).toEqual({
      do: 'refuse-unanswered',
      requestIds: ['old'],
      otherBody: false,
      taken: [{ value: 'x', messageId: 'o1', unanswered: 'other contact' }],
    });
    expect(decideClaim(to('ada'), [first], 11)).toMatchObject({ do: 'take-over' });
  });

  it('refuses another body in place of messages without an external id, which only a repeat can find again', () => {
    expect(decideClaim(claim, [held({ fingerprint: 'other' })], 11)).toEqual({
      do: 'refuse-unanswered',
      requestIds: ['old'],
      otherBody: false,
      taken: [{ value: 'x', messageId: 'o1', unanswered: 'other recipients' }],
    });
    expect(decideClaim(claim, [held({})], 11)).toMatchObject({ do: 'take-over' });
  });

  it('continues no request after seven days, as its messages could not be tried again as often as others', () => {
    const [made, week] = [1_800_000_000_000, 7 * 86_400_000];
    const messageId = newId(made);
    const first = held({ messageId, nameless: [] });
    expect(decideClaim(claim, [first], made + week)).toMatchObject({ do: 'take-over' });
    const refused = { do: 'refuse-unanswered', requestIds: ['old'], otherBody: false };
    const taken = [{ value: 'x', messageId, unanswered: 'too old' }];
    expect(decideClaim(claim, [first], made + week + 1)).toEqual({ ...refused, taken });
    const ofKey = key({ nameless: [messageId] });
    expect(decideClaim(claim, [ofKey], made + week)).toMatchObject({ do: 'take-over' });
    expect(decideClaim(claim, [ofKey], made + week + 1)).toEqual({ ...refused, taken: [] });
    expect(decideClaim(claim, [first, ofKey], made + week + 1)).toEqual({ ...refused, taken });
  });

  it('compares the contact of each external id, whatever names of that value or kind there are', () => {
    const others = [
      { kind: 'key' as const, value: 'x', messageId: null },
      { kind: 'external' as const, value: 'w', messageId: 'n2', contact: 'grace' },
    ];
    const several: Claim = { ...claim, names: [...others, { ...claim.names[0]!, contact: 'ada' }] };
    const first = held({ fingerprint: 'other', contact: 'ada', nameless: [] });
    expect(decideClaim(several, [first], 11)).toMatchObject({ do: 'take-over' });
  });

  it('distinguishes a key from an external id of the same value', () => {
    const letters: Claim = { ...claim, names: [claim.names[0]!, { kind: 'key', value: 'x', messageId: null }] };
    expect(decideClaim(letters, [held({ fingerprint: 'other', nameless: [] })], 11)).toMatchObject({
      claim: { messageIds: ['o1', 'n2'], names: [{ messageId: 'o1' }, { kind: 'key', value: 'x', messageId: null }] },
    });
  });

  it('knows which messages of a claim are those of earlier requests', () => {
    expect(earlierIdsOf(claim)).toEqual([]);
    const before = [held({ messageId: 'n1', fingerprint: 'other', nameless: [] })];
    expect(earlierIdsOf({ ...claim, tookOver: before })).toEqual(['n1']);
    // What that one had confirmed before it died was not taken over.
    expect(earlierIdsOf({ ...claim, tookOver: [key({ nameless: ['n2'] })] })).toEqual(['n1', 'n2']);
  });

  it('gives a twin every id of the request that died, whichever messages have names', () => {
    const cases = fc.record({
      named: fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }),
      withKey: fc.boolean(),
    });
    fc.assert(
      fc.property(cases, ({ named, withKey }) => {
        const claimed = (mark: string): Claim => {
          const messageIds = named.map((_, i) => mark + i);
          const external = messageIds.flatMap((messageId, i) =>
            named[i] ? [{ kind: 'external' as const, value: `x${i}`, messageId }] : [],
          );
          const keys = withKey ? [{ kind: 'key' as const, value: 'x0', messageId: null }] : [];
          return { ...claim, requestId: mark, names: [...external, ...keys], messageIds };
        };
        const [dead, twin] = [claimed('d'), claimed('t')];
        const nameless = namelessIdsOf(dead);
        const theirs = dead.names.map((name) => held({ ...name, requestId: 'd', nameless }));
        fc.pre(theirs.length > 0);
        expect(decideClaim(twin, theirs, 11)).toEqual({ do: 'take-over', claim: dead, held: theirs });
      }),
    );
  });
});
