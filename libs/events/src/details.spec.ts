import { detailsOf, strongest } from './details';

const inline = (text: string) => Promise.resolve(text);

describe('the details of a message in an event', () => {
  it('have every address as an object, and bodies inline or as blobs', async () => {
    const given = {
      reply_to: 'help@x.test',
      cc: ['a@x.test', { email: 'b@x.test', name: 'B' }],
      bcc: ['c@x.test'],
      subject: 'Hello',
      text: 'T',
      html: '<p>H</p>',
      in_reply_to: '<1@x.test>',
      headers: { 'X-A': null },
    };
    const stored = { blob: 'f'.repeat(64), size: 8 };
    expect(await detailsOf(given, (text) => Promise.resolve(text === 'T' ? text : stored))).toEqual({
      reply_to: { email: 'help@x.test' },
      cc: [{ email: 'a@x.test' }, { email: 'b@x.test', name: 'B' }],
      bcc: [{ email: 'c@x.test' }],
      subject: 'Hello',
      text: 'T',
      html: stored,
      in_reply_to: '<1@x.test>',
      headers: { 'X-A': null },
    });
  });

  it('have an address once that was given in two forms', async () => {
    const ada = { email: 'a@x.test', name: 'A' };
    const { cc, bcc } = await detailsOf(
      { cc: ['a@x.test', ada, { email: 'a@x.test' }], bcc: [ada, 'A@x.test'] },
      inline,
    );
    expect(cc).toEqual([{ email: 'a@x.test' }, ada]);
    expect(bcc).toEqual([ada, { email: 'A@x.test' }]);
  });

  it('have only what was given, including empty lists and empty bodies', async () => {
    expect(await detailsOf({}, inline)).toEqual({});
    expect(Object.entries(await detailsOf({ cc: [], text: '' }, inline))).toEqual([
      ['cc', []],
      ['text', ''],
    ]);
  });
});

describe('strongest', () => {
  it('returns the value of the last level that has the field, even an empty one', () => {
    const levels = [{ cc: ['campaign'], bcc: ['campaign'] }, undefined, { cc: [] as string[] }, {}];
    expect(strongest(levels, 'cc')).toEqual([]);
    expect(strongest(levels, 'bcc')).toEqual(['campaign']);
    expect(strongest([{}, undefined] as { cc?: string[] }[], 'cc')).toBeUndefined();
  });
});
