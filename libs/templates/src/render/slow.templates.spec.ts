import { SlowTemplates } from './slow.templates';

const SLOW_TEMPLATE = { subject: 'a', html: 'b' };

describe('templates that are known to be slow', () => {
  let now = 0;
  let slow: SlowTemplates;
  beforeEach(() => {
    now = 0;
    slow = new SlowTemplates(160, () => now);
  });

  it('are identified by all of their parts', () => {
    expect(slow.hasAny).toBe(false);
    slow.noteSuspect(SLOW_TEMPLATE);
    expect(slow.hasAny).toBe(true);
    expect(slow.knows({ html: 'b', subject: 'a' })).toBe(true);
    for (const other of [
      { ...SLOW_TEMPLATE, text: 'c' },
      { ...SLOW_TEMPLATE, html: 'c' },
      { ...SLOW_TEMPLATE, subject: 'c' },
      { subject: 'a' },
      { subject: 'a', text: 'b' },
      { subject: 'ab' },
    ]) {
      expect(slow.knows(SLOW_TEMPLATE)).toBe(true);
      expect(slow.knows(other)).toBe(false);
    }
  });

  it('get half the time after each message that timed out, down to a sixteenth', () => {
    const given = Array.from({ length: 6 }, () => {
      const ms = slow.allowedMs(SLOW_TEMPLATE);
      slow.noteRanOut(SLOW_TEMPLATE);
      return ms;
    });
    expect(given).toEqual([160, 80, 40, 20, 10, 10]);
    expect(slow.isRefused(SLOW_TEMPLATE)).toBe(false);
    slow = new SlowTemplates(250);
    for (let times = 0; times < 4; times += 1) slow.noteRanOut(SLOW_TEMPLATE);
    expect(slow.allowedMs(SLOW_TEMPLATE)).toBe(16);
  });

  it('of one campaign get less time together, even if all differ', () => {
    const given = Array.from({ length: 3 }, (_, at) => {
      const template = { subject: `${at}`, campaign: 'c' };
      const ms = slow.allowedMs(template);
      slow.noteRanOut(template);
      return ms;
    });
    expect(given).toEqual([160, 80, 40]);
  });

  it('of one campaign are refused after ten stopped threads, even if all differ, until one renders in time', () => {
    const templateAt = (at: number) => ({ subject: `${at}`, campaign: 'c' });
    for (let at = 0; at < 10; at += 1) {
      expect(slow.isRefused(templateAt(at))).toBe(false);
      slow.noteStopped(templateAt(at));
    }
    expect([slow.knows(templateAt(10)), slow.isRefused(templateAt(10))]).toEqual([true, true]);
    expect(slow.isRefused({ ...templateAt(10), campaign: 'd' })).toBe(false);
    slow.clear(templateAt(11));
    expect([slow.knows(templateAt(10)), slow.isRefused(templateAt(10))]).toEqual([false, false]);
  });

  it('are refused once their account stopped ten threads in a minute, except those that rendered well', () => {
    const templateOf = (subject: string, account = 'a') => ({ subject, account, campaign: subject });
    const [usual, mixed, alone] = [templateOf('usual'), templateOf('mixed'), templateOf('alone')];
    slow.noteStopped(templateOf('first'));
    slow.noteRendered(usual);
    // It was a suspect, and is not any more.
    slow.clear(alone);
    for (let at = 1; at < 10; at += 1) {
      now += 1_000;
      expect(slow.isRefused(templateOf('new'))).toBe(false);
      slow.noteStopped(mixed);
      // A message rendered in time clears the template and its campaign, but not the account.
      slow.clear(mixed);
      slow.noteRendered(mixed);
    }
    slow.clear(templateOf('first'));
    expect([
      slow.hasAny,
      slow.knows(templateOf('new')),
      slow.isRefused(templateOf('new')),
      slow.isRefused(mixed),
    ]).toEqual([true, true, true, true]);
    expect([usual, alone, templateOf('new', 'b')].map((job) => slow.isRefused(job))).toEqual([false, false, false]);
    now = 60_000;
    expect(slow.isRefused(templateOf('new'))).toBe(false);
    // The first of the last ten stops is one second later now.
    slow.noteStopped(mixed);
    slow.clear(mixed);
    expect(slow.isRefused(templateOf('new'))).toBe(true);
    now = 61_000;
    expect(slow.isRefused(templateOf('new'))).toBe(false);
    now = 120_000;
    expect(slow.hasAny).toBe(false);
  });

  it('are tracked per campaign: what happens to a template of one tells nothing about another', () => {
    const templateFor = (campaign: string) => ({ subject: 'the same', campaign });
    for (let stops = 0; stops < 3; stops += 1) slow.noteStopped(templateFor('a'));
    slow.noteRanOut(templateFor('a'));
    expect([slow.isRefused(templateFor('a')), slow.isRefused(templateFor('b'))]).toEqual([true, false]);
    expect(slow.allowedMs(templateFor('b'))).toBe(slow.allowedMs({ subject: 'another' }));
  });

  it('are refused once they stopped three threads, and retried every 30 s', () => {
    for (let stops = 0; stops < 3; stops += 1) {
      expect(slow.isRefused(SLOW_TEMPLATE)).toBe(false);
      slow.noteStopped(SLOW_TEMPLATE);
    }
    expect(slow.isRefused(SLOW_TEMPLATE)).toBe(true);
    now = 30_000;
    expect(slow.isRefused(SLOW_TEMPLATE)).toBe(false);
    slow.noteStopped(SLOW_TEMPLATE);
    expect(slow.isRefused(SLOW_TEMPLATE)).toBe(true);
  });

  it('are treated as normal once a message was rendered in time', () => {
    slow.noteRanOut(SLOW_TEMPLATE);
    for (let stops = 0; stops < 3; stops += 1) slow.noteStopped(SLOW_TEMPLATE);
    slow.clear(SLOW_TEMPLATE);
    expect([slow.knows(SLOW_TEMPLATE), slow.isRefused(SLOW_TEMPLATE), slow.allowedMs(SLOW_TEMPLATE)]).toEqual([
      false,
      false,
      160,
    ]);
  });
});
