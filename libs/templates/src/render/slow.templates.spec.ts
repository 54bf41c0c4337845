import { SlowTemplates } from './slow.templates';

const SLOW = { subject: 'a', html: 'b' };

describe('templates that are known to be slow', () => {
  let now = 0;
  let slow: SlowTemplates;
  beforeEach(() => {
    now = 0;
    slow = new SlowTemplates(160, () => now);
  });

  it('are identified by all of their parts', () => {
    expect(slow.any).toBe(false);
    slow.suspect(SLOW);
    expect(slow.any).toBe(true);
    expect(slow.knows({ html: 'b', subject: 'a' })).toBe(true);
    for (const other of [{ ...SLOW, text: 'c' }, { subject: 'a' }, { subject: 'a', text: 'b' }, { subject: 'ab' }]) {
      expect(slow.knows(other)).toBe(false);
    }
  });

  it('get half the time after each message that timed out, down to a sixteenth', () => {
    const given = Array.from({ length: 6 }, () => {
      const ms = slow.messageMs(SLOW);
      slow.ranOut(SLOW);
      return ms;
    });
    expect(given).toEqual([160, 80, 40, 20, 10, 10]);
    expect(slow.isRefused(SLOW)).toBe(false);
    slow = new SlowTemplates(250);
    for (let times = 0; times < 4; times += 1) slow.ranOut(SLOW);
    expect(slow.messageMs(SLOW)).toBe(16);
  });

  it('of one campaign are refused after ten stopped threads, even if all differ, until one renders in time', () => {
    const of = (at: number) => ({ subject: `${at}`, campaign: 'c' });
    for (let at = 0; at < 10; at += 1) {
      expect(slow.isRefused(of(at))).toBe(false);
      slow.stopped(of(at));
    }
    expect([slow.knows(of(10)), slow.isRefused(of(10))]).toEqual([true, true]);
    expect(slow.isRefused({ ...of(10), campaign: 'd' })).toBe(false);
    slow.clear(of(11));
    expect([slow.knows(of(10)), slow.isRefused(of(10))]).toEqual([false, false]);
  });

  it('are refused once their account stopped ten threads in a minute, except those that rendered well', () => {
    const of = (subject: string, account = 'a') => ({ subject, account, campaign: subject });
    const [usual, mixed, alone] = [of('usual'), of('mixed'), of('alone')];
    slow.stopped(of('first'));
    slow.rendered(usual);
    // It was a suspect, and is not any more.
    slow.clear(alone);
    for (let at = 1; at < 10; at += 1) {
      now += 1_000;
      expect(slow.isRefused(of('new'))).toBe(false);
      slow.stopped(mixed);
      // A message rendered in time clears the template and its campaign, but not the account.
      slow.clear(mixed);
      slow.rendered(mixed);
    }
    slow.clear(of('first'));
    expect([slow.any, slow.knows(of('new')), slow.isRefused(of('new')), slow.isRefused(mixed)]).toEqual([
      ...[true, true, true, true],
    ]);
    expect([usual, alone, of('new', 'b')].map((job) => slow.isRefused(job))).toEqual([false, false, false]);
    now = 60_000;
    expect(slow.isRefused(of('new'))).toBe(false);
    // The first of the last ten stops is one second later now.
    slow.stopped(mixed);
    slow.clear(mixed);
    expect(slow.isRefused(of('new'))).toBe(true);
    now = 61_000;
    expect(slow.isRefused(of('new'))).toBe(false);
    now = 120_000;
    expect(slow.any).toBe(false);
  });

  it('are tracked per campaign: what happens to a template of one tells nothing about another', () => {
    const of = (campaign: string) => ({ subject: 'the same', campaign });
    for (let stops = 0; stops < 3; stops += 1) slow.stopped(of('a'));
    slow.ranOut(of('a'));
    expect([slow.isRefused(of('a')), slow.isRefused(of('b'))]).toEqual([true, false]);
    expect(slow.messageMs(of('b'))).toBe(slow.messageMs({ subject: 'another' }));
  });

  it('are refused once they stopped three threads, and retried every 30 s', () => {
    for (let stops = 0; stops < 3; stops += 1) {
      expect(slow.isRefused(SLOW)).toBe(false);
      slow.stopped(SLOW);
    }
    expect(slow.isRefused(SLOW)).toBe(true);
    now = 30_000;
    expect(slow.isRefused(SLOW)).toBe(false);
    slow.stopped(SLOW);
    expect(slow.isRefused(SLOW)).toBe(true);
  });

  it('are treated as normal once a message was rendered in time', () => {
    slow.ranOut(SLOW);
    for (let stops = 0; stops < 3; stops += 1) slow.stopped(SLOW);
    slow.clear(SLOW);
    expect([slow.knows(SLOW), slow.isRefused(SLOW), slow.messageMs(SLOW)]).toEqual([false, false, 160]);
  });
});
