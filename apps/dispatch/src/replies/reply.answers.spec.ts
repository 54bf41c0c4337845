import { ANSWERS_OF_MAILBOXES } from '../testing/answers.mailboxes';
import { ANSWERS_OF_OTHERS } from '../testing/answers.others';
import { ANSWERS_OF_RECIPIENT } from '../testing/answers.recipient';
import { ANSWERS_IN_OTHER_LANGUAGES } from '../testing/answers.languages';
import { classify } from './reply.classify';
import { parseReply } from './reply';

const HARD_REASONS = ['mailbox_unknown', 'domain_unknown'];
const linesOf = (text: string) => text.split('\n').flatMap((line) => line.trim() || []);
const withLongNames = (answer: string) =>
  answer.replace(
    /(?<![\w.-])(?:[a-z\d-]+\.)*example\.(?:com|net|org)\b/g,
    'mail.a-company-with-a-name-of-many-words.example',
  );

describe.each([
  ['about the recipient', ANSWERS_OF_RECIPIENT],
  ['about mailboxes and domains', ANSWERS_OF_MAILBOXES],
  ['about sender, content and route', ANSWERS_OF_OTHERS],
  ['in other languages', ANSWERS_IN_OTHER_LANGUAGES],
])('replies %s', (_, answers) => {
  it.each(Object.keys(answers))('that mean %s are classified so', (reason) => {
    const read = linesOf(answers[reason]!).map((answer) => ({ answer, meaning: classify(parseReply(answer)!) }));
    const wrong = read.filter(
      ({ meaning }) => meaning.reason !== reason || meaning.hard !== HARD_REASONS.includes(reason),
    );
    expect(read.length).toBeGreaterThan(1);
    expect(wrong).toEqual([]);
  });

  it.each(Object.keys(answers))(
    'that mean %s are classified so, however long the domain names in them are',
    (reason) => {
      const read = linesOf(answers[reason]!).map(withLongNames);
      expect(read.filter((answer) => classify(parseReply(answer)!).reason !== reason)).toEqual([]);
    },
  );
});
