import fc from 'fast-check';
import { keySets, signingSet, type KeySet, type RecordStatus, type SendingDomain } from './domain';
import {
  afterLookup,
  decideKeys,
  withStatuses,
  makeSelector,
  nextLookupAt,
  recordNames,
  afterSetup,
} from './domain.decide';

const set = (selector: string, verifiedAt: number | null = null): KeySet => ({
  selector,
  createdAt: 1,
  verifiedAt,
  keys: [
    { algorithm: 'rsa-sha256', selector, publicKey: `R${selector}`, wrapped: 'w', seen: 'unchecked' },
    {
      algorithm: 'ed25519-sha256',
      selector: `${selector}-ed`,
      publicKey: `E${selector}`,
      wrapped: 'w',
      seen: 'unchecked',
    },
  ],
});
const domain = (over: Partial<SendingDomain> = {}): SendingDomain => ({
  accountId: 'a',
  domain: 'shop.example',
  revision: 1,
  sign: 'verified',
  require: false,
  current: set('one'),
  next: null,
  retired: null,
  createdAt: 1,
  updatedAt: 1,
  checkedAt: null,
  ...over,
});
const verified = domain({ current: set('one', 5) });
const rotating = domain({ current: set('one', 5), next: set('two') });
const rotated = domain({ current: set('two', 9), retired: set('one', 5) });
const UNCHANGED = { keys: 'stay' };
const foundRecords = (...selectors: string[]) =>
  new Map(selectors.map((one) => [one, 'found'] as [string, RecordStatus]));

describe('the key set after a PUT', () => {
  it.each([
    ['a new domain', undefined, {}, undefined, { keys: 'new', as: 'current' }],
    ['no setting', verified, {}, undefined, UNCHANGED],
    ['another setting', verified, { require: true }, undefined, UNCHANGED],
    ['the selector it has', verified, { selector: 'one' }, undefined, UNCHANGED],
    ['the key it has', verified, {}, 'Rone', UNCHANGED],
    ['the key and the selector it has', verified, { selector: 'one' }, 'Rone', UNCHANGED],
    ['rotation', verified, { rotate: true }, undefined, { keys: 'new', as: 'next' }],
    ['a new selector', verified, { selector: 'two' }, undefined, { keys: 'new', as: 'next' }],
    ['a new key', verified, {}, 'Rtwo', { keys: 'new', as: 'next' }],
    [
      'rotation of keys that sign without verification',
      domain({ sign: 'always' }),
      { rotate: true },
      undefined,
      { keys: 'new', as: 'next' },
    ],
    ['rotation of keys that never signed', domain(), { rotate: true }, undefined, { keys: 'new', as: 'current' }],
    ['rotation again', rotating, { rotate: true }, undefined, UNCHANGED],
    ['the selector of the rotation in progress', rotating, { rotate: true, selector: 'two' }, undefined, UNCHANGED],
    ['the key of the rotation in progress', rotating, { rotate: true }, 'Rtwo', UNCHANGED],
    ['a third selector', rotating, { selector: 'three' }, undefined, { keys: 'new', as: 'next' }],
    ['a rotation that is complete, by its selector', rotated, { rotate: true, selector: 'two' }, undefined, UNCHANGED],
  ])('is kept or created as expected: %s', (_what, existing, setup, given, expected) => {
    expect(decideKeys(existing, setup, given)).toEqual(expected);
  });

  it.each([
    ['the selector of another key', verified, 'one', 'Rother'],
    ['a selector that is retired', rotated, 'one', undefined],
    ['a selector that is retired, with its key', rotated, 'one', 'Rone'],
    ['the name of the Ed25519 key', verified, 'one-ed', undefined],
    [
      'a selector whose Ed25519 key would have the name of a key',
      domain({ current: set('one-ed', 5) }),
      'one',
      undefined,
    ],
  ])('is refused for %s', (_what, existing, selector, given) => {
    const faults = [expect.objectContaining({ pointer: '/selector', code: 'selector_taken' }) as object];
    expect(decideKeys(existing, { selector }, given)).toEqual({ faults });
  });

  it('gets a generated selector with the date, different for each key', () => {
    const now = Date.parse('2026-11-21T10:00:00Z');
    expect(makeSelector('a', now)).toMatch(/^lm20261121-[0-9a-f]{6}$/);
    expect(makeSelector('a', now)).not.toBe(makeSelector('b', now));
  });

  it('gets another one if the key had it before on the same day, and its Ed25519 key is published under that', () => {
    const now = Date.parse('2026-11-21T10:00:00Z');
    const former = makeSelector('a', now);
    expect(makeSelector('a', now, domain({ retired: set(former) }))).toBe(`${former}-2`);
    const formers = { next: set(`${former}-2`), retired: set(former) };
    expect(makeSelector('a', now, domain(formers))).toBe(`${former}-3`);
    expect(makeSelector('b', now, domain(formers))).toBe(makeSelector('b', now));
  });
});

describe('a domain', () => {
  it('signs once all of its records were found, and goes on if they disappear later', () => {
    expect(signingSet(domain())).toBeUndefined();
    expect(signingSet(withStatuses(domain(), foundRecords('one'), 7))).toBeUndefined();
    const proven = withStatuses(withStatuses(domain(), foundRecords('one'), 7), foundRecords('one-ed'), 8);
    expect(proven.current.verifiedAt).toBe(8);
    const gone = withStatuses(proven, new Map([['one', 'missing'] as const]), 9);
    expect(signingSet(gone)?.selector).toBe('one');
    expect(gone.current.keys[0]!.seen).toBe('missing');
    expect(gone.checkedAt).toBe(9);
  });

  it('signs without verified records if sign is always', () => {
    expect(signingSet(domain({ sign: 'always' }))?.selector).toBe('one');
  });

  it('signs with its old keys until the new ones are verified, then drops the old private keys', () => {
    const asked = afterSetup(verified, { rotate: true }, set('two'), 10);
    expect(signingSet(asked)?.selector).toBe('one');
    expect(signingSet(withStatuses(asked, foundRecords('one', 'one-ed', 'two'), 11))?.selector).toBe('one');
    const done = withStatuses(asked, foundRecords('two', 'two-ed'), 12);
    expect(signingSet(done)?.selector).toBe('two');
    expect(done.next).toBeNull();
    expect(done.retired?.keys.map(({ wrapped }) => wrapped)).toEqual([null, null]);
  });

  it('records what DNS has at its names; an unreachable name leaves it unverified', () => {
    const names = recordNames(domain());
    expect(names).toEqual(['one._domainkey.shop.example', 'one-ed._domainkey.shop.example']);
    const answers = new Map([[names[0]!, ['v=DKIM1; k=rsa; p=Rone']]]);
    const half = afterLookup(domain({ revision: 40 }), answers, 30);
    expect(half.current.keys.map(({ seen }) => seen)).toEqual(['found', 'unreachable']);
    expect([half.revision, half.checkedAt, half.current.verifiedAt]).toEqual([41, 30, null]);
    const whole = afterLookup(domain(), answers.set(names[1]!, ['v=DKIM1; k=ed25519; p=Eone']), 30);
    expect([whole.revision, whole.current.verifiedAt]).toEqual([30, 30]);
  });

  it('stays the same object if nothing changes', () => {
    expect(afterSetup(verified, { sign: 'verified', require: false }, undefined, 10)).toBe(verified);
    expect(afterSetup(verified, { require: true }, undefined, 10)).toMatchObject({ require: true, updatedAt: 10 });
  });

  it('never loses the keys that sign, and uses each selector for one key only', () => {
    const names = fc.constantFrom('one', 'two', 'three');
    const step = fc.oneof(
      fc.record({
        selector: fc.option(names, { nil: undefined }),
        rotate: fc.boolean(),
        sign: fc.constantFrom('verified' as const, 'always' as const, undefined),
      }),
      fc.record({
        seen: fc.dictionary(
          fc.constantFrom('one', 'one-ed', 'two', 'two-ed', 'three', 'three-ed', 'm0', 'm0-ed'),
          fc.constantFrom<RecordStatus>('found', 'missing', 'unreachable'),
        ),
      }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        let now = 10;
        let one = domain();
        for (const [index, each] of steps.entries()) {
          const before = signingSet(one);
          now += 1;
          if ('seen' in each) one = withStatuses(one, new Map(Object.entries(each.seen)), now);
          else {
            const demand = decideKeys(one, each, undefined);
            if ('faults' in demand) continue;
            const made = demand.keys === 'new' ? set(each.selector ?? `m${index}`) : undefined;
            one = afterSetup(one, each, made, now);
            if (before && each.sign !== 'verified') expect(signingSet(one)).toBe(before);
          }
          const after = signingSet(one);
          if (after) expect(after.keys.every(({ wrapped }) => wrapped !== null)).toBe(true);
          const selectors = keySets(one).map(({ selector }) => selector);
          expect(new Set(selectors).size).toBe(selectors.length);
        }
      }),
    );
  });
});

describe('a domain that waits for its records', () => {
  const HOUR = 3_600_000;
  const DAY = 24 * HOUR;

  it.each([
    ['nothing waits', verified, null],
    ['it signs without verification', domain({ sign: 'always' }), null],
    ['its keys are new', domain(), 1 + (5 / 6) * HOUR],
    ['new keys wait beside those that sign', rotating, 1 + (5 / 6) * HOUR],
    [
      'new keys wait beside those that sign without verification',
      domain({ sign: 'always', next: set('two') }),
      1 + (5 / 6) * HOUR,
    ],
    ['an hour has passed', domain({ checkedAt: 1 + HOUR }), 1 + (11 / 6) * HOUR],
    ['two days have passed', domain({ checkedAt: 1 + 2 * DAY }), 1 + 2.25 * DAY],
    ['three weeks have passed', domain({ checkedAt: 1 + 21 * DAY }), 1 + 22 * DAY],
    ['a month has passed', domain({ checkedAt: 1 + 30 * DAY }), null],
  ])('has the right next lookup time: %s', (_what, one, expected) => {
    expect(nextLookupAt(one)).toBe(expected);
  });

  it('is looked up a limited number of times', () => {
    let looks = 0;
    for (let one = domain(), at = nextLookupAt(one); at !== null; at = nextLookupAt(one)) {
      one = afterLookup(one, new Map(), at);
      looks += 1;
    }
    expect(looks).toBeGreaterThan(24);
    expect(looks).toBeLessThan(80);
  });
});
