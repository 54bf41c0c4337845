import { Pace } from './pace';

describe('Pace', () => {
  const paced = (mail: number, claim: number) => {
    const pace = new Pace();
    pace.noteMail(mail);
    pace.noteClaim(claim);
    return pace;
  };

  it('claims nothing ahead before it knows the hop', () => {
    const pace = new Pace();
    pace.noteClaim(5);
    expect(pace.isQuick(true)).toBe(false);
    expect(pace.claimsAhead(true)).toBe(0);
  });

  it('claims nothing ahead for a slow hop', () => {
    expect(paced(150, 2_000).claimsAhead(false)).toBe(0);
    expect(paced(600, 2_000).claimsAhead(true)).toBe(0);
  });

  it('claims one ahead for a distant hop if mails can ride', () => {
    expect(paced(400, 2).claimsAhead(true)).toBe(1);
  });

  it('claims ahead as many as are sent during a claim', () => {
    expect(paced(100, 2).claimsAhead(false)).toBe(1);
    expect(paced(10, 31).claimsAhead(false)).toBe(3);
    expect(paced(0, 0).claimsAhead(false)).toBe(1);
    expect(paced(0, 2).claimsAhead(false)).toBe(2);
  });

  it('limits claims ahead to three, even if the store is very slow', () => {
    expect(paced(1, 10_000).claimsAhead(false)).toBe(3);
  });

  it('claims nothing ahead for a slow hop because the clock was set back during a mail', () => {
    const pace = paced(800, 10);
    pace.noteMail(-3_600_000);
    expect(pace.claimsAhead(true)).toBe(0);
  });

  it('follows the latest mails', () => {
    const pace = paced(10, 10);
    for (let n = 0; n < 100; n += 1) pace.noteMail(800);
    expect(pace.claimsAhead(true)).toBe(0);
  });

  it('follows the latest mails gradually: a single slow one does not make the hop slow', () => {
    const pace = paced(10, 2);
    pace.noteMail(2_000);
    expect(pace.isQuick(false)).toBe(true);
    pace.noteMail(2_000);
    expect(pace.isQuick(false)).toBe(false);
    for (let n = 0; n < 8; n += 1) pace.noteMail(10);
    expect(pace.isQuick(false)).toBe(true);
  });
});
