import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readReport } from './report.reader';

/** What another parser finds in a real mail; one entry for each recipient. */
interface Fact {
  recipient: string;
  hardbounce: boolean;
  reason: string;
}

const folder = resolve(process.env.BOUNCES ?? '../shared/corpus/bounces');
/** Stands for a recipient who is kept secret. */
const UNDISCLOSED = /^undisclosed-recipient/;

/**
 * Real mails, if a collection of them is available; otherwise the test is skipped, as a file without any test would count as failed. Tests
 * that need no collection are in report.reader.spec.ts.
 */
const describeIfCollected: (name: string, tests: () => void) => void = existsSync(folder)
  ? describe
  : (name) => it.skip(name, () => undefined);

describeIfCollected('a collection of real bounces', () => {
  const facts = JSON.parse(readFileSync(`${folder}/facts.json`, 'utf8')) as Record<string, Fact[]>;
  const bounces = Object.entries(facts).flatMap(([file, told]) => told.map((fact) => ({ file, fact })));
  const expected = bounces.filter(({ fact }) => fact.reason !== 'vacation' && !UNDISCLOSED.test(fact.recipient));
  const read = (file: string) => readReport(readFileSync(`${folder}/mails/${file}`));
  const findReported = async ({ file, fact }: { file: string; fact: Fact }) => {
    const { recipients } = await read(file);
    return recipients.find(({ address }) => address.toLowerCase() === fact.recipient.toLowerCase());
  };

  it('names the recipient in at least 99% of cases', async () => {
    const found = await Promise.all(expected.map(findReported));
    expect(expected.length).toBeGreaterThan(300);
    expect(found.filter(Boolean).length / expected.length).toBeGreaterThanOrEqual(0.99);
  });

  it('agrees with the other parser on hard and soft in nearly all cases', async () => {
    const refused = expected.filter(({ fact }) => fact.reason !== 'feedback');
    const found = await Promise.all(refused.map(async (one) => ({ ...one, told: await findReported(one) })));
    const same = found.filter(({ fact, told }) => told?.hard === fact.hardbounce);
    expect(same.length / refused.length).toBeGreaterThanOrEqual(0.945);
  });

  it('contains no bounce among mails that are none', async () => {
    const others = bounces.filter(({ fact }) => fact.reason === 'vacation').map(({ file }) => file);
    for (const file of [...others, 'is-not-bounce-01.eml']) expect((await read(file)).kind).toBe('none');
  });
});
