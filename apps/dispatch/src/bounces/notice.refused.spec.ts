import { refusedIn } from './notice.refused';

const addresses = Array.from({ length: 100 }, (_, at) => `u${at}@example.org`);

describe('the words about a recipient', () => {
  it('are bounded, however many recipients share them: each is searched for what it means', () => {
    const lines = ['The following recipients:', ...addresses, addresses.join(' ').slice(0, 990)];
    lines.push(...Array.from({ length: 180 }, () => 'mailbox is '.repeat(90)));
    const refused = refusedIn([], { lines, original: [] });
    expect(refused).toHaveLength(100);
    for (const { words } of refused) expect(words.length).toBeLessThanOrEqual(2000);
  });

  it('are all that is said where there is one, within a bound', () => {
    const lines = ['<ada@example.org>:', ...Array.from({ length: 250 }, () => 'no '.repeat(300))];
    const [refused] = refusedIn([], { lines, original: [] });
    expect(refused).toMatchObject({ address: 'ada@example.org' });
    expect(refused!.context!.length).toBe(30_000);
  });
});
