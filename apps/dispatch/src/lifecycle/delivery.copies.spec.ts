import fc from 'fast-check';
import { CATALOG, type AttemptOutcome } from '@lettermill/events';
import Ajv from 'ajv';
import { policy, sending, START } from '../testing/lifecycle';
import {
  isTerminal,
  reportedState,
  type AttemptEnd,
  type CopyEnd,
  type Delivery,
  type DeliveryTerms,
} from './delivery';
import { decide, type Decision, type DeliveryEvent } from './delivery.machine';

const terms: DeliveryTerms = { expiresAt: null, onUncertain: 'retry', address: 'ada@x.org' };
const reason = { code: 'greylisted', detail: '450 later' } as const;
const copy = (address: string, outcome: AttemptOutcome): CopyEnd => ({
  address,
  outcome,
  reason: outcome === 'sent' ? null : reason,
});
const endOf = (outcome: AttemptOutcome, ...copies: CopyEnd[]): AttemptEnd => ({
  outcome,
  reply: null,
  reason: outcome === 'sent' ? null : reason,
  hard: false,
  ...(copies.length > 0 && { copies }),
});
const ended = (end: AttemptEnd, at = START): DeliveryEvent => ({
  type: 'ended',
  startedAt: at - 5,
  at,
  nextHop: 'mx:25',
  end,
});
const sendingCopies = (over: Partial<Delivery> = {}) =>
  sending({ attempts: 1, rest: { to: ['cc@x.org', 'bcc@x.org'], after: 'sent' }, ...over });
const eventDataOf = ({ outcome }: Decision) => outcome?.data as { copies?: unknown; reason?: unknown };

describe('a message whose main recipient accepted it', () => {
  it('is sent, and its deferred copies are retried after the delay for that attempt', () => {
    const end = endOf('sent', copy('cc@x.org', 'deferred'), copy('bcc@x.org', 'sent'), copy('no@x.org', 'bounced'));
    const decision = decide(sending(), terms, ended(end), policy);
    expect(decision.next).toMatchObject({
      state: 'deferred',
      attempts: 1,
      dueAt: START + 60_000,
      rest: { to: ['cc@x.org'], after: 'sent' },
    });
    expect(reportedState(decision.next)).toBe('sent');
    expect(decision.outcome).toMatchObject({ type: 'MessageSent', data: { attempt: { number: 1, outcome: 'sent' } } });
    expect(eventDataOf(decision).copies).toEqual({
      waiting: ['cc@x.org'],
      given_up: [{ address: 'no@x.org', ...reason }],
      retry_at: '2026-01-02T03:05:05.000Z',
    });
  });

  it('reports which copies bounced because of their mailbox, on the first attempt and later ones', () => {
    const gone: CopyEnd = { ...copy('gone@x.org', 'bounced'), hard: true };
    const end = endOf('sent', gone, copy('no@x.org', 'bounced'));
    const given_up = [
      { address: 'gone@x.org', ...reason, hard: true },
      { address: 'no@x.org', ...reason },
    ];
    for (const delivery of [sending(), sendingCopies()]) {
      const { outcome } = decide(delivery, terms, ended(end), policy);
      expect(outcome!.data).toMatchObject({ copies: { given_up } });
      expect(eventDataOf({ outcome } as Decision).copies).toEqual({ waiting: [], given_up, retry_at: null });
    }
    const { outcome } = decide(sending(), terms, ended({ ...end, outcome: 'bounced' }), policy);
    expect(outcome).toMatchObject({ type: 'MessageBounced', data: { hard: false, copies: { given_up } } });
  });

  it('has ended if no copy waits, and reports no copies if all were accepted', () => {
    const all = decide(sending(), terms, ended(endOf('sent', copy('cc@x.org', 'sent'))), policy);
    expect(all.next).toEqual(sending({ state: 'sent', attempts: 1 }));
    expect(eventDataOf(all)).not.toHaveProperty('copies');
    const none = decide(sending(), terms, ended(endOf('sent')), policy);
    expect(Object.keys(none.next)).not.toContain('rest');
  });

  it.each([
    ['no retry is left', terms, 2, 'attempts_used_up'],
    ['the retry would be too late', { ...terms, expiresAt: START + 1000 }, 0, 'expired'],
  ])('gives up its copies when %s', (_, theTerms, attempts, code) => {
    const end = endOf('sent', copy('cc@x.org', 'deferred'));
    const decision = decide(sending({ attempts }), theTerms, ended(end), policy);
    expect(decision.next).toMatchObject({ state: 'sent', dueAt: null });
    expect(eventDataOf(decision).copies).toMatchObject({ waiting: [], given_up: [{ code }], retry_at: null });
  });
});

describe('attempts for copies only', () => {
  it('end each copy separately; the message stays sent', () => {
    const end = endOf('sent', copy('cc@x.org', 'deferred'), copy('bcc@x.org', 'sent'));
    const first = decide(sendingCopies(), terms, ended(end), policy);
    expect(first.outcome).toMatchObject({
      type: 'MessageCopiesTried',
      data: { attempt: { number: 2, outcome: 'sent' }, reason: null, copies: { waiting: ['cc@x.org'] } },
    });
    expect(first.next).toMatchObject({ dueAt: START + 300_000, rest: { to: ['cc@x.org'], after: 'sent' } });
    const again = { ...first.next, state: 'sending' as const, dueAt: null };
    const last = decide(again, terms, ended(endOf('sent', copy('cc@x.org', 'sent'))), policy);
    expect(last.next).toMatchObject({ state: 'sent', attempts: 3, dueAt: null, rest: null });
    expect(last.mayReturn).toBeUndefined();
    expect(eventDataOf(last).copies).toEqual({ waiting: [], given_up: [], retry_at: null });
  });

  it('apply their outcome to all copies if the mail was never offered to the hop', () => {
    const away = decide(sendingCopies(), terms, ended(endOf('deferred')), policy);
    expect(away.next.rest?.to).toEqual(['cc@x.org', 'bcc@x.org']);
    const large = decide(sendingCopies(), terms, ended(endOf('failed')), policy);
    expect(large.next).toMatchObject({ state: 'sent', rest: null });
    expect(eventDataOf(large).copies).toMatchObject({ given_up: [{ address: 'cc@x.org' }, { address: 'bcc@x.org' }] });
  });

  it('repeat copies after an unknown outcome only if the campaign allows it', () => {
    const repeated = decide(sendingCopies(), terms, ended(endOf('unknown')), policy);
    expect(repeated.next).toMatchObject({ state: 'deferred', dueAt: START + 60_000, rest: { unsure: true } });
    // The main recipient has the mail or never gets it: that was no attempt to it.
    expect(repeated.next).not.toHaveProperty('mayHaveArrived');
    const held = decide(sendingCopies(), { ...terms, onUncertain: 'hold' }, ended(endOf('unknown')), policy);
    expect(held.next).toMatchObject({ state: 'sent', rest: null });
    expect(eventDataOf(held).copies).toMatchObject({ waiting: [], given_up: [{ address: 'cc@x.org' }, {}] });
  });

  it('retry copies together when the first of them is due', () => {
    const [cc, bcc] = [copy('cc@x.org', 'deferred'), copy('bcc@x.org', 'unknown')];
    for (const copies of [
      [cc, bcc],
      [bcc, cc],
    ]) {
      const { next, outcome } = decide(sendingCopies(), terms, ended(endOf('unknown', ...copies)), policy);
      expect(next).toMatchObject({ state: 'deferred', dueAt: START + 60_000, rest: { unsure: true } });
      expect(outcome!.data).toMatchObject({ copies: { retry_at: '2026-01-02T03:05:05.000Z' } });
    }
  });

  it('continue with deferred copies if others may have arrived and are held', () => {
    const end = endOf('unknown', copy('cc@x.org', 'unknown'), copy('bcc@x.org', 'deferred'));
    const { next } = decide(sendingCopies(), { ...terms, onUncertain: 'hold' }, ended(end), policy);
    expect(next.dueAt).toBe(START + 300_000);
    expect(next.rest).toEqual({ to: ['bcc@x.org'], after: 'sent' });
  });

  it.each<[string, DeliveryEvent, string]>([
    ['the message has expired', { type: 'begun', at: START }, 'expired'],
    [
      'the content is lost',
      { type: 'unsendable', at: START, reason: { code: 'content_lost', detail: '' } },
      'content_lost',
    ],
  ])('do not start, and give up the copies, when %s', (_, event, code) => {
    const decision = decide(sendingCopies(), { ...terms, expiresAt: START }, event, policy);
    expect(decision.next).toMatchObject({ state: 'sent', attempts: 1 });
    expect(decision.outcome?.data).not.toHaveProperty('attempt');
    expect(decision.outcome).toMatchObject({ type: 'MessageCopiesTried', data: { reason: { code } } });
    expect(eventDataOf(decision).copies).toMatchObject({ given_up: [{ code }, { code }] });
  });

  it('leave the copies as they were when released', () => {
    const { next, outcome } = decide(sendingCopies(), terms, { type: 'released', dueAt: 7 }, policy);
    expect(next).toEqual({ ...sendingCopies(), state: 'deferred', dueAt: 7 });
    expect(outcome).toBeNull();
  });
});

describe('copies of a bounced message', () => {
  const bounced = (...copies: CopyEnd[]) => decide(sending(), terms, ended(endOf('bounced', ...copies)), policy);

  it('are retried, and the message counts as bounced meanwhile', () => {
    const decision = bounced(copy('cc@x.org', 'deferred'), copy('bcc@x.org', 'sent'));
    expect(decision.outcome).toMatchObject({ type: 'MessageBounced', data: { copies: { waiting: ['cc@x.org'] } } });
    expect(reportedState(decision.next)).toBe('bounced');
    expect(decision.next).toMatchObject({ state: 'deferred', rest: { to: ['cc@x.org'], after: 'bounced' } });
    const again = { ...decision.next, state: 'sending' as const, dueAt: null };
    const last = decide(again, terms, ended(endOf('sent', copy('cc@x.org', 'sent'))), policy);
    expect(last).toMatchObject({ next: { state: 'bounced' }, mayReturn: true });
    // A retry that somebody asks for goes to the main recipient.
    expect(last.next.rest).toEqual({ to: ['ada@x.org'], after: null });
  });

  it('are not sent again by a retry once they were or may have been delivered', () => {
    for (const outcome of ['sent', 'unknown'] as const) {
      expect(bounced(copy('cc@x.org', outcome), copy('no@x.org', 'bounced'))).toMatchObject({
        next: { state: 'bounced', rest: { to: ['ada@x.org'], after: null } },
        mayReturn: true,
      });
    }
    const none = bounced(copy('cc@x.org', 'bounced'));
    expect(none.next).not.toHaveProperty('rest');
    const twice = decide(sending({ rest: { to: ['ada@x.org'], after: null } }), terms, ended(endOf('bounced')), policy);
    expect(twice.next.rest).toEqual({ to: ['ada@x.org'], after: null });
  });

  it('are not sent again by a retry if an attempt to all recipients ended unknown before', () => {
    const all = { to: ['ada@x.org', 'cc@x.org'], after: null };
    const refusedAfter = (before: Delivery) =>
      decide(before, terms, ended(endOf('bounced', copy('cc@x.org', 'bounced'))), policy);
    const next = { state: 'bounced', rest: { to: ['ada@x.org'], after: null } };
    for (const rest of [undefined, all]) {
      const unknown = decide(sending({ rest }), terms, ended(endOf('unknown', copy('cc@x.org', 'unknown'))), policy);
      const refused = refusedAfter({ ...unknown.next, state: 'sending', dueAt: null });
      expect(refused).toMatchObject({ next, mayReturn: true });
    }
    expect(refusedAfter(sending({ rest: all, mayHaveArrivedBefore: true }))).toMatchObject({ next });
  });

  it('stay in doubt after a retry, until they are given up', () => {
    const delivery = sending({ rest: { to: ['ada@x.org', 'cc@x.org'], after: null, unsure: true } });
    for (const main of ['sent', 'bounced'] as const) {
      const { next } = decide(delivery, terms, ended(endOf(main, copy('cc@x.org', 'deferred'))), policy);
      expect(next.rest).toEqual({ to: ['cc@x.org'], after: main, unsure: true });
    }
    const { next } = decide(delivery, terms, ended(endOf('bounced', copy('cc@x.org', 'bounced'))), policy);
    expect(next.rest).toEqual({ to: ['ada@x.org'], after: null });
  });

  it('are sent again by a retry if none was delivered', () => {
    const rest = { to: ['ada@x.org', 'cc@x.org'], after: null };
    const end = endOf('bounced', copy('cc@x.org', 'bounced'));
    expect(decide(sending({ rest }), terms, ended(end), policy)).toMatchObject({
      next: { state: 'bounced', rest },
      mayReturn: true,
    });
  });
});

const OUTCOMES = ['sent', 'deferred', 'bounced', 'unknown'] as const;
const ADDRESSES = ['ada@x.org', 'b@x.org', 'c@x.org', 'd@x.org'];
/** What the hop replies to each recipient, and how the whole mail ends. */
const aTry = fc.record({
  rcpt: fc.array(fc.constantFrom('yes', 'deferred', 'bounced'), { minLength: 4, maxLength: 4 }),
  whole: fc.constantFrom(...OUTCOMES),
  lost: fc.boolean(),
});

describe('the life of a message with copies', () => {
  const ajv = new Ajv({ strict: false });

  it('sends nothing twice except after an unknown outcome, and forgets no recipient', () => {
    fc.assert(
      fc.property(fc.array(aTry, { maxLength: 12 }), fc.boolean(), (tries, hold) => {
        const theTerms = { ...terms, onUncertain: hold ? ('hold' as const) : ('retry' as const) };
        let delivery = sending();
        const has = new Set<string>();
        const given = new Set<string>();
        const told: string[] = [];
        for (const { rcpt, whole, lost } of tries) {
          if (delivery.state !== 'sending') break;
          const to = delivery.rest?.to ?? ADDRESSES;
          const main = delivery.rest?.after ? null : ADDRESSES[0]!;
          for (const one of to) expect(has.has(one)).toBe(false);
          const ofOne = (address: string): AttemptOutcome => {
            const said = rcpt[ADDRESSES.indexOf(address)]!;
            return said === 'yes' ? whole : (said as AttemptOutcome);
          };
          // Like the exchange: no mail is handed over while the main recipient is deferred.
          const waits = main !== null && rcpt[0] === 'deferred';
          const copies = to.filter((one) => one !== main).map((one) => copy(one, waits ? 'deferred' : ofOne(one)));
          const outcome = main === null ? whole : ofOne(main);
          const end = lost ? endOf('unknown') : { ...endOf(outcome), copies };
          const decision = decide(delivery, theTerms, ended(end), { ...policy, delays: [60, 300, 600, 900] });
          if (!lost && !waits) for (const one of to) if (ofOne(one) === 'sent') has.add(one);
          const { data, type } = decision.outcome!;
          expect(ajv.validate(CATALOG[type].schema, data) || ajv.errorsText()).toBe(true);
          if ('copies' in data) data.copies?.given_up.forEach(({ address }) => given.add(address));
          told.push(type);
          const { next } = decision;
          if (next.rest?.after) {
            expect(next.dueAt).not.toBeNull();
            for (const one of next.rest.to) expect(given.has(one)).toBe(false);
          }
          if (isTerminal(next.state) && next.state === 'sent') {
            for (const one of ADDRESSES) expect(has.has(one) || given.has(one)).toBe(true);
          }
          delivery = next.dueAt === null ? next : { ...next, state: 'sending', dueAt: null };
        }
        // The state is reported once; what follows is about copies.
        const settled = told.findIndex((type) => type === 'MessageSent' || type === 'MessageBounced');
        if (settled >= 0)
          expect(new Set(told.slice(settled + 1))).toEqual(new Set(told.slice(settled + 1, settled + 2)));
        if (settled >= 0 && told.length > settled + 1) expect(told[settled + 1]).toBe('MessageCopiesTried');
      }),
      { numRuns: 2_000 },
    );
  });
});
