import { returnPathOf } from '@lettermill/runtime';
import type { Report, ReportedRecipient } from './report';
import { endByReport, reportEvents } from './report.events';
import { cameBack, findingsOf, matchOf, type RecalledDelivery } from './report.match';

const terms = { returnPath: 'b.example.com', internalSecret: 's'.repeat(32) };
const name = { accountId: 'default', messageId: 'A'.repeat(18) };
const path = returnPathOf(terms, name)!;
const forged = path.replace(/.(?=@)/, (letter) => (letter === 'a' ? 'b' : 'a'));

const recipient = (address: string, kind: ReportedRecipient['kind'] = 'bounce'): ReportedRecipient => ({
  address,
  kind,
  hard: true,
  status: '5.1.1',
  reason: 'mailbox_unknown',
  diagnostic: 'no',
});
const report = (more: Partial<Report> = {}): Report => ({
  kind: 'bounce',
  recipients: [recipient('ada@x.org')],
  originalMessageId: null,
  returnPaths: [],
  writtenAt: null,
  ...more,
});
const recalled = (
  recipients: string[],
  state: RecalledDelivery['state'] = 'sent',
  rest?: RecalledDelivery['rest'],
): RecalledDelivery => ({
  ...name,
  state,
  recipients,
  rest,
  attempts: 1,
  dueAt: null,
});

describe('the message that a report is about', () => {
  const withId = { originalMessageId: `<${name.messageId}@x.org>` };

  it('is identified by a return path that we signed', () => {
    expect(matchOf(terms, 'default', report({ returnPaths: ['ops@x.org', path] }), null)).toEqual({ name });
    expect(matchOf(terms, 'default', report(), path)).toEqual({ name });
    expect(matchOf(terms, 'default', report({ returnPaths: [path] }), 'ops@x.org')).toEqual({ name });
  });

  it('is unknown if the return path belongs to another account', () => {
    expect(matchOf(terms, 'other', report({ returnPaths: [path] }), null)).toEqual({ unknown: true });
  });

  it('is not identified if the return path is forged, whatever the Message-ID is', () => {
    expect(matchOf(terms, 'default', report({ ...withId, returnPaths: [forged] }), null)).toEqual({ forged: true });
  });

  it('is otherwise identified by our Message-ID, in the calling account', () => {
    expect(matchOf(terms, 'other', report(withId), null)).toEqual({ name: { ...name, accountId: 'other' } });
    for (const originalMessageId of [null, '<a@x.org>', `<${name.messageId}>`, `${name.messageId}@x.org`]) {
      expect(matchOf(terms, 'default', report({ originalMessageId }), null)).toEqual({ unknown: true });
    }
  });
});

describe('a mail was sent to a return path', () => {
  it('that we signed, as its envelope or its header says', () => {
    expect(cameBack(terms, ['ops@x.org', path], null)).toBe(true);
    expect(cameBack(terms, [], path)).toBe(true);
  });

  it('unless that is forged, or none of ours', () => {
    expect(cameBack(terms, [forged], 'ops@x.org')).toBe(false);
    expect(cameBack(terms, [], null)).toBe(false);
  });
});

describe('a report about a message', () => {
  it('applies to the addresses as they were written, ignoring case', () => {
    const told = report({ recipients: [recipient('ADA@x.org'), recipient('cc@x.org'), recipient('eve@x.org')] });
    const findings = findingsOf(recalled(['Ada@x.org', 'cc@x.org']), told);
    expect(findings.map(({ address, own }) => [address, own])).toEqual([
      ['Ada@x.org', true],
      ['cc@x.org', false],
    ]);
  });

  it('matches an address with an international domain in either form', () => {
    const told = report({ recipients: [recipient('ada@xn--bcher-kva.example')] });
    expect(findingsOf(recalled(['Ada@BÜCHER.example', 'cc@x.org']), told)).toMatchObject([
      { address: 'Ada@BÜCHER.example', own: true },
    ]);
  });

  it('about a forwarded mail applies to its only recipient, or to nobody if there are several', () => {
    const forwarded = report({ recipients: [recipient('ada@elsewhere.org')] });
    expect(findingsOf(recalled(['ada@x.org']), forwarded)).toMatchObject([{ address: 'ada@x.org', own: true }]);
    expect(findingsOf(recalled(['ada@x.org', 'cc@x.org']), forwarded)).toEqual([]);
    expect(findingsOf(recalled([]), forwarded)).toEqual([]);
  });

  it('applies to the recipient that the mail was forwarded from, if it says which', () => {
    const forwarded = report({ recipients: [{ ...recipient('bob@elsewhere.org'), forwardedFrom: ['CC@x.org'] }] });
    expect(findingsOf(recalled(['ada@x.org', 'cc@x.org']), forwarded)).toMatchObject([
      { address: 'cc@x.org', own: false },
    ]);
    expect(findingsOf(recalled(['ada@x.org', 'eve@x.org']), forwarded)).toEqual([]);
  });

  it('is a complaint of the only recipient if the feedback loop leaves the address out', () => {
    const secret = report({ kind: 'complaint', recipients: [] });
    const unsaid = { kind: 'complaint', hard: false, status: null, reason: 'complained', diagnostic: '' };
    expect(findingsOf(recalled(['ada@x.org']), secret)).toEqual([
      { recipient: { address: 'ada@x.org', ...unsaid }, address: 'ada@x.org', own: true },
    ]);
    expect(findingsOf(recalled(['ada@x.org', 'cc@x.org']), secret)).toEqual([]);
    expect(findingsOf(recalled(['ada@x.org']), report({ recipients: [] }))).toEqual([]);
    const said = recipient('ada@x.org', 'complaint');
    expect(findingsOf(recalled(['ada@x.org']), report({ kind: 'complaint', recipients: [said] }))).toEqual([
      { recipient: said, address: 'ada@x.org', own: true },
    ]);
  });

  it('that names nobody is about the only recipient', () => {
    const { address: _, ...unnamed } = recipient('');
    const nobody = report({ recipients: [], unnamed });
    expect(findingsOf(recalled(['ada@x.org']), nobody)).toEqual([
      { recipient: { address: 'ada@x.org', ...unnamed }, address: 'ada@x.org', own: true },
    ]);
    expect(findingsOf(recalled(['ada@x.org', 'cc@x.org']), nobody)).toEqual([]);
    expect(findingsOf(recalled([]), nobody)).toEqual([]);
  });

  it('is published under the same id each time, and only if the mail was handed over', () => {
    const findings = findingsOf(recalled(['ada@x.org']), report());
    const [event] = reportEvents(recalled(['ada@x.org']), findings, 5);
    expect(event).toMatchObject({ type: 'MessageReturned', id: `${name.messageId}/returned/ada@x.org` });
    expect(reportEvents(recalled(['ada@x.org']), findings, 9)[0]!.id).toBe(event!.id);
    for (const state of ['queued', 'sending', 'deferred', 'bounced', 'failed'] as const) {
      expect(reportEvents(recalled(['ada@x.org'], state), findings, 5)).toEqual([]);
    }
    const delayed = report({ recipients: [recipient('ada@x.org', 'delayed')] });
    expect(reportEvents(recalled(['ada@x.org']), findingsOf(recalled(['ada@x.org']), delayed), 5)).toEqual([]);
  });

  it.each<[string, RecalledDelivery['state'], RecalledDelivery['rest'], string[]]>([
    [
      'was sent, whether or not copies wait',
      'deferred',
      { to: ['late@x.org'], after: 'sent' },
      ['ada@x.org', 'cc@BÜCHER.example', 'late@x.org'],
    ],
    [
      'bounced, for copies that were not put off',
      'deferred',
      { to: ['late@x.org'], after: 'bounced' },
      ['cc@BÜCHER.example'],
    ],
    [
      'bounced, for copies that were handed over',
      'bounced',
      { to: ['ada@x.org'], after: null },
      ['cc@BÜCHER.example', 'late@x.org'],
    ],
    ['is tried again after that', 'sending', { to: ['ada@x.org'], after: null }, ['cc@BÜCHER.example', 'late@x.org']],
    ['bounced without reaching anybody', 'bounced', undefined, []],
    ['waits for its first attempt', 'queued', undefined, []],
  ])('is published for the recipients concerned, if the mail has copies and %s', (_, state, rest, told) => {
    const message = recalled(['ada@x.org', 'cc@BÜCHER.example', 'late@x.org'], state, rest);
    const all = report({
      recipients: ['ada@x.org', 'cc@xn--bcher-kva.example', 'late@x.org'].map((one) => recipient(one)),
    });
    const events = reportEvents(message, findingsOf(message, all), 5);
    expect(events.map(({ data }) => (data as { address: string }).address)).toEqual(told);
  });

  it('ends an uncertain delivery if it is about the main recipient, and copies are still reported', () => {
    const message = recalled(['ada@x.org', 'cc@x.org'], 'uncertain');
    const about = (address: string, of = message) =>
      reportEvents(of, findingsOf(of, report({ recipients: [recipient(address)] })), 5);
    expect(endByReport(message, about('cc@x.org'))).toBeUndefined();
    const [told] = about('ada@x.org');
    const end = endByReport(message, [told!])!;
    const rest = { to: ['ada@x.org'], after: null };
    expect(end).toMatchObject({ told, next: { state: 'bounced', dueAt: null, attempts: 1, rest } });
    expect(about('cc@x.org', { ...message, ...end.next })).toHaveLength(1);
    for (const [state, after] of [['sent'], ['cancelled'], ['uncertain', 'sent']] as const) {
      const rest = after && { to: ['cc@x.org'], after };
      const other: RecalledDelivery = { ...recalled(['ada@x.org'], state, rest), mayHaveArrived: true };
      expect(about('ada@x.org', other)).toHaveLength(1);
      expect(endByReport(other, about('ada@x.org', other))).toBeUndefined();
    }
  });

  it.each([
    ['deferred', 'bounced'],
    ['failed', 'failed'],
  ] as const)('ends a delivery that is %s after an uncertain attempt, as %s, and is published once', (state, ended) => {
    const message: RecalledDelivery = { ...recalled(['ada@x.org', 'cc@x.org'], state), dueAt: 9, mayHaveArrived: true };
    const about = (address: string, of = message) =>
      reportEvents(of, findingsOf(of, report({ recipients: [recipient(address)] })), 5);
    expect(about('cc@x.org')).toHaveLength(1);
    expect(endByReport(message, about('cc@x.org'))).toBeUndefined();
    const [told] = about('ada@x.org');
    const end = endByReport(message, [told!])!;
    expect(end).toMatchObject({ told, next: { state: ended, dueAt: null } });
    expect(about('ada@x.org', { ...message, ...end.next })).toEqual([]);
    expect(about('cc@x.org', { ...message, ...end.next })).toHaveLength(1);
  });

  it('is published for copies that may have arrived, but not again for a bounced main recipient', () => {
    const rest = { to: ['cc@x.org'], after: 'bounced' } as const;
    const message: RecalledDelivery = {
      ...recalled(['ada@x.org', 'cc@x.org'], 'deferred', { ...rest, to: [...rest.to] }),
    };
    const both = findingsOf(message, report({ recipients: [recipient('ada@x.org'), recipient('cc@x.org')] }));
    expect(reportEvents(message, both, 5)).toEqual([]);
    const told = reportEvents({ ...message, mayHaveArrived: true }, both, 5);
    expect(told).toMatchObject([{ data: { address: 'cc@x.org', own: false } }]);
    expect(endByReport({ ...message, mayHaveArrived: true }, told)).toBeUndefined();
  });

  it('is published if somebody complains about an attempt of unknown outcome, also if a later one was refused', () => {
    const message: RecalledDelivery = { ...recalled(['ada@x.org'], 'bounced'), attempts: 2, mayHaveArrived: true };
    const eventsOf = (kind: ReportedRecipient['kind'], about = message) =>
      reportEvents(about, findingsOf(about, report({ recipients: [recipient('ada@x.org', kind)] })), 5);
    expect(eventsOf('complaint')).toMatchObject([{ type: 'MessageComplained', data: { address: 'ada@x.org' } }]);
    expect(eventsOf('bounce')).toEqual([]);
    expect(eventsOf('complaint', { ...message, mayHaveArrived: null })).toEqual([]);
  });

  it('is published for copies in doubt after a retry, but does not end the retry for the main recipient', () => {
    const rest = { to: ['ada@x.org', 'cc@x.org'], after: null, unsure: true as const };
    for (const state of ['deferred', 'failed', 'bounced'] as const) {
      const message = recalled(['ada@x.org', 'cc@x.org'], state, rest);
      const both = findingsOf(message, report({ recipients: [recipient('ada@x.org'), recipient('cc@x.org')] }));
      expect(reportEvents(message, both, 5)).toMatchObject([{ data: { address: 'cc@x.org', own: false } }]);
      expect(endByReport(message, reportEvents(message, both, 5))).toBeUndefined();
    }
  });

  it('is the same event as long as no other attempt was made', () => {
    const idsAfter = (attempts: number) => {
      const message = { ...recalled(['ada@x.org']), attempts };
      return reportEvents(message, findingsOf(message, report()), 5).map(({ id }) => id);
    };
    expect(idsAfter(1)).toEqual(idsAfter(1));
    expect(idsAfter(3)).toEqual(idsAfter(3));
    expect(idsAfter(3)).not.toEqual(idsAfter(1));
  });

  it('is ignored if the message was cancelled before any attempt', () => {
    const message = { ...recalled(['ada@x.org'], 'cancelled'), attempts: 0 };
    expect(reportEvents(message, findingsOf(message, report()), 5)).toEqual([]);
  });

  it('is ignored for a waiting copy, even one whose domain is spelled differently', () => {
    const message = recalled(['ada@x.org', 'cc@BÜCHER.example'], 'deferred', {
      to: ['cc@xn--bcher-kva.example'],
      after: 'bounced',
    });
    expect(
      reportEvents(message, findingsOf(message, report({ recipients: [recipient('cc@BÜCHER.example')] })), 5),
    ).toEqual([]);
  });
});
