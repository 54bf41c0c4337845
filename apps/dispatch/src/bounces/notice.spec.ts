import type { Field } from './fields';
import { noticeOf, originalMessageId } from './notice';
import type { OpenedMail } from './opened.mail';

describe('what a report says', () => {
  it('ends where the returned mail begins, which is not its first line', () => {
    const text = 'Undelivered mail\n<ada@example.org>: unknown\nOriginal message follows:\nSubject: Hello\n\nDear Ada';
    expect(noticeOf({ text, original: [] as Field[] } as OpenedMail)).toEqual({
      lines: ['Undelivered mail', '<ada@example.org>: unknown'],
      original: [['subject', 'Hello']],
    });
  });

  it.each([
    '--- Below this line is a copy of the message.',
    '------ This is a copy of the message, including all the headers. ------',
    '   ----- Unsent message follows -----',
    'Received: from shop.example.com by mx.example.net; Mon, 5 Jan 2026 10:00:00 +0000',
    'Return-Path: <shop@example.com>',
    'From shop@example.com Mon Jan  5 10:00:00 2026',
    'DKIM-Signature: v=1; a=rsa-sha256; d=example.com',
  ])('ends before %j', (first) => {
    const text = `Undelivered\n<ada@example.org>: unknown\n${first}\nSubject: Hello`;
    const { lines, original } = noticeOf({ text, original: [] as Field[] } as OpenedMail);
    expect(lines).toEqual(['Undelivered', '<ada@example.org>: unknown']);
    expect(original).toContainEqual(['subject', 'Hello']);
  });
});

it.each([
  ['<one@example.com>', '<one@example.com>'],
  ['<one@example.com> (added by a server)', '<one@example.com>'],
  ['one@example.com', '<one@example.com>'],
  ['none', null],
])('the Message-ID of the returned mail, written as %j, is %j', (written, id) => {
  expect(originalMessageId([], { lines: [], original: [['message-id', written]] }, '')).toBe(id);
});
