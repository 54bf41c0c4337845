import type { Config } from '@lettermill/config';
import type { Bodies } from '../bodies/bodies';
import type { CampaignVersion } from '../campaigns/campaign';
import { MailDrafts } from './mail.draft';
import type { Cause } from './mail.events';

const LONG = 'x'.repeat(512 * 1024);

describe('the drafts in memory at a time', () => {
  const bodies = {
    sharedPart: () => Promise.resolve({}),
    text: (_account: string, text: string) => Promise.resolve(text),
  };
  const drafts = new MailDrafts(bodies as unknown as Bodies, {} as Config);
  const version = { launched: { message: {}, attachments: [] }, compiled: null } as unknown as CampaignVersion;
  const countOf = async (textOf: (at: number) => string) => {
    const causes = Array.from({ length: 30 }, (_, at) => {
      const message = { text: textOf(at), html: `<p>${textOf(at)}` };
      return { data: { message, contact: {}, accepted_at: '2026-01-02T03:04:05.678Z' } } as unknown as Cause;
    });
    return (await drafts.draftSome(causes, () => version)).length;
  };

  it('are fewer if their texts are large: no more are made after 16 Mi characters', async () => {
    expect(await countOf((at) => `${at}`)).toBe(30);
    // After ten of them there are 10 Mi, after twenty 20 Mi.
    expect(await countOf((at) => `${at}${LONG}`)).toBe(20);
  });

  it('are all, if it is one large text that they share', async () => {
    expect(await countOf(() => LONG)).toBe(30);
  });
});
