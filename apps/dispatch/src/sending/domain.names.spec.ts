import { DomainNames } from './domain.names';

const times = (names: DomainNames, domain: string, count: number): string[] =>
  Array.from({ length: count }, () => names.of(domain));

describe('names of recipient domains in metrics', () => {
  it('are given to configured domains at once, and to others when they are busy', () => {
    const names = new DomainNames(['*', 'gmail.com']);
    expect(names.of('gmail.com')).toBe('gmail.com');
    expect(names.of('*')).toBe('other');
    expect(new Set(times(names, 'busy.example', 499))).toEqual(new Set(['other']));
    expect(names.of('busy.example')).toBe('busy.example');
    expect(names.of('rare.example')).toBe('other');
    expect(names.of('')).toBe('other');
  });

  it('are limited to fifty besides the configured ones, however many domains occur', () => {
    const names = new DomainNames(['gmail.com', 'mine.example']);
    const seen = new Set<string>();
    for (let i = 0; i < 80; i += 1) for (const name of times(names, `d${i}.example`, 600)) seen.add(name);
    for (let i = 0; i < 100_000; i += 1) seen.add(names.of(`once-${i}.example`));
    expect(seen.size).toBe(51);
    expect(names.of('mine.example')).toBe('mine.example');
    expect(names.of('d0.example')).toBe('d0.example');
  });

  it('are given to a busy domain among many that are not', () => {
    const names = new DomainNames([]);
    const told = Array.from({ length: 100_000 }, (_, i) =>
      names.of(i % 50 === 0 ? 'busy.example' : `once-${i}.example`),
    );
    expect(told.filter((name) => name === 'busy.example')).toHaveLength(1501);
  });
});
