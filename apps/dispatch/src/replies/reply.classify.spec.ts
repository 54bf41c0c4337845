import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { SUPPRESSION_REASONS } from '@lettermill/contract';
import { REASONS } from '@lettermill/problems';
import { parseReply } from './reply';
import { classify, hopStateOf, isTemporaryRefusal, ruleOf } from './reply.classify';
import { REPLY_RULES } from './reply.rules';

const read = (line: string) => parseReply(line)!;

describe('reply rules', () => {
  it.each(REPLY_RULES.map((rule) => [rule.sample, rule] as const))('match «%s» by their own row', (sample, rule) => {
    expect(ruleOf(read(sample))).toBe(rule);
  });

  it('name reasons of the error table only', () => {
    for (const rule of REPLY_RULES) expect(Object.hasOwn(REASONS, rule.reason)).toBe(true);
  });

  it('are hard only for reasons that suppressions can be searched by', () => {
    const meanings = REPLY_RULES.map(({ sample }) => classify(read(sample)));
    for (const { hard, reason } of meanings) if (hard) expect(SUPPRESSION_REASONS).toContain(reason);
  });

  it('never bounce a 4xx and never call a deferral hard', () => {
    for (const { code, sample } of REPLY_RULES) {
      const { action, hard } = classify(read(sample));
      if (code.startsWith('4')) expect(action).toBe('deferred');
      if (action === 'deferred') expect(hard).toBe(false);
    }
  });

  it.each([
    ['550 5.1.1 <spam@example.com>: User unknown', 'mailbox_unknown', true],
    ['550 5.1.1 The email account that you tried to reach does not exist', 'mailbox_unknown', true],
    ['550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found', 'mailbox_unknown', true],
    ['550 5.7.1 <ada@example.com>: Recipient address rejected: User unknown', 'mailbox_unknown', true],
    ['550 Requested action not taken: mailbox unavailable', 'mailbox_unknown', true],
    ['550 5.7.606 Access denied, banned sending IP [192.0.2.1]', 'policy_refused', false],
    ['550 5.7.1 Message rejected by policy', 'policy_refused', false],
    ['552 5.2.2 <ada@example.com>: over quota', 'mailbox_full', false],
    ['554 See https://www.spamhaus.org/query/ip/192.0.2.1', 'policy_refused', false],
    ['550 5.7.1 No MX for sender domain', 'policy_refused', false],
    ['553 5.1.8 We know no way back to you', 'policy_refused', false],
    ['553 5.6.7 Non-ASCII addresses are not permitted for this recipient', 'smtputf8_unsupported', false],
    ['552 5.3.4 More than we take', 'message_too_large', false],
    ['552 5.2.2 The inbox of this person takes no more', 'mailbox_full', false],
    ['554 5.4.7 [internal] exceeded max time without delivery', 'given_up', false],
    ['551 Please write to another server', 'mailbox_unknown', true],
    ['556 Nothing is taken here', 'domain_unknown', true],
    ['554 No', 'refused', false],
  ])('%s → %s', (line, reason, hard) => {
    expect(classify(read(line))).toEqual({ action: 'bounced', reason, hard });
  });

  it.each([
    ['530 5.7.0 Must issue a STARTTLS command first', 'tls_failed'],
    ['535 5.7.8 Credentials invalid', 'authentication_failed'],
    ['552 5.5.3 Too many recipients', 'throttled'],
    ['450 4.2.0 Recipient address rejected: Greylisted', 'greylisted'],
    ['452 4.2.2 The recipient has used up their storage', 'mailbox_full'],
    ['452 Mailbox is full for now', 'mailbox_full'],
    ['454 Throttling failure: Daily message quota exceeded', 'throttled'],
    ['421 4.7.0 Too many connections from your address', 'throttled'],
    ['451 4.7.650 The mail server has been temporarily limited', 'throttled'],
    ['450 4.1.1 <ada@example.com>: User unknown', 'mailbox_unknown'],
    ['451 4.7.1 Message held for inspection', 'policy_refused'],
    ['421 4.3.0 Service not available', 'next_hop_unavailable'],
    ['451 4.3.0 Local error in processing', 'refused'],
  ])('%s → %s, for now', (line, reason) => {
    expect(classify(read(line))).toEqual({ action: 'deferred', reason, hard: false });
  });

  it('call an answer outside 4xx and 5xx a refusal for now', () => {
    const meaning = { action: 'deferred', reason: 'refused', hard: false };
    for (const line of ['354 go on', '250 fine']) expect(classify(read(line))).toEqual(meaning);
  });

  it('tell a refusal for now from one for good', () => {
    const lines = ['451 4.3.0 later', 'what?', '550 5.1.1 User unknown'];
    expect(lines.map(isTemporaryRefusal)).toEqual([true, true, false]);
  });

  it.each([
    ['454 Throttling failure: Maximum sending rate exceeded.', 'throttling'],
    ['421 4.7.0 Our system has detected an unusual rate of mail', 'throttling'],
    ['450 4.7.1 Error: too much mail from 192.0.2.1', 'throttling'],
    ['550 5.4.5 Daily user sending limit exceeded', 'throttling'],
    [
      "550 5.1.90 Your message can't be sent because you've reached your daily limit for message recipients",
      'throttling',
    ],
    ['421 4.3.0 Service not available', 'unable'],
    ['452 4.3.1 Insufficient system storage', 'unable'],
    ['451 4.3.0 Error: queue file write error', 'unable'],
    ['452 insufficient system storage', 'unable'],
    ['451 Requested action aborted: local error in processing', 'unable'],
    ['450 4.2.1 The user you are trying to contact is receiving mail at a rate that is too high', undefined],
    ['452 4.5.3 Too many recipients', undefined],
    ['452 4.2.2 The recipient has used up their storage', undefined],
    ['452 4.3.4 More than is taken here', undefined],
    ['452 Mailbox is full for now', undefined],
    ['451 4.7.1 Greylisted, come back later', undefined],
    ['451 4.7.1 Please try again later', undefined],
    ['552 5.3.1 Mailbox full', undefined],
    ['550 5.1.1 User unknown', undefined],
  ])('%s, about the hop itself: %s', (line, state) => {
    const reply = read(line);
    expect(hopStateOf(reply, classify(reply).reason)).toBe(state);
  });

  it('give every reply one meaning that fits its class', () => {
    fc.assert(
      fc.property(fc.integer({ min: 400, max: 599 }), fc.string({ maxLength: 600 }), (code, text) => {
        const meaning = classify({ code, enhanced: null, text });
        expect(['bounced', 'deferred']).toContain(meaning.action);
        if (code < 500) expect(meaning.action).toBe('deferred');
      }),
    );
  });
});

describe('parseReply', () => {
  it('joins lines and strips the codes', () => {
    const reply = parseReply('550-5.1.1 The account\n550-5.1.1 does not\n550 5.1.1 exist');
    expect(reply).toEqual({ code: 550, enhanced: '5.1.1', text: 'The account does not exist' });
  });

  it('takes the enhanced code of the first line that has one', () => {
    expect(parseReply('550-Sorry\n550-5.1.1 unknown\n550 5.7.1 see our policy')!.enhanced).toBe('5.1.1');
  });

  it('cuts long text without halving a character', () => {
    const reply = parseReply(`550 ${'🙂'.repeat(900)}`)!;
    expect([...reply.text]).toHaveLength(500);
    expect(reply.text).toBe('🙂'.repeat(500));
    expect(parseReply(`550 ${'x'.repeat(900)}`)!.text).toBe('x'.repeat(500));
  });

  it('reads bare codes and rejects what is no reply', () => {
    expect(parseReply('421')).toEqual({ code: 421, enhanced: null, text: '' });
    expect(parseReply('hello')).toBeUndefined();
    expect(parseReply('')).toBeUndefined();
  });
});

interface BounceFact {
  diagnosticcode: string;
  replycode: string;
  reason: string;
  hardbounce: boolean;
}

const facts = resolve(process.env.BOUNCE_FACTS ?? '../shared/corpus/bounces/facts.json');

/** Real diagnostic texts, if a collection is available, each with another parser's view of it. */
if (existsSync(facts)) {
  describe('a collection of real bounces', () => {
    const all = Object.values(JSON.parse(readFileSync(facts, 'utf8')) as Record<string, BounceFact[]>).flat();
    const answers = all.flatMap((fact) => {
      const found = /(?:^|\s|')([45]\d\d[ -](?:[45]\.\d+\.\d+ )?.*)$/.exec(fact.diagnosticcode);
      const reply = found ? parseReply(found[1]!) : undefined;
      return reply && String(reply.code) === fact.replycode ? [{ fact, meaning: classify(reply), reply }] : [];
    });

    it('has its unknown mailboxes recognized in over 90% of cases', () => {
      const unknown = answers.filter(({ fact, reply }) => fact.reason === 'userunknown' && reply.code >= 500);
      const same = unknown.filter(({ meaning }) => meaning.hard);
      expect(unknown.length).toBeGreaterThan(40);
      expect(same.length / unknown.length).toBeGreaterThan(0.9);
    });

    it('suppresses nobody for a fault of sender or content', () => {
      const ours = [
        'blocked',
        'spamdetected',
        'authfailure',
        'badreputation',
        'norelaying',
        'virusdetected',
        'requireptr',
      ];
      const wrong = answers.filter(({ fact, meaning }) => ours.includes(fact.reason) && meaning.hard);
      expect(wrong.map(({ reply }) => reply)).toEqual([]);
    });
  });
}
