import { ContentLost } from '@lettermill/blobs';
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

describe('a draft whose content cannot be read', () => {
  const version = { launched: { message: {}, attachments: [] }, compiled: null } as unknown as CampaignVersion;
  const cause = { data: { message: { text: { blob: 'b', size: 1 } } } } as unknown as Cause;
  const drafted = (text: () => Promise<string>) => {
    const bodies = { sharedPart: () => Promise.resolve({}), text } as unknown as Bodies;
    return new MailDrafts(bodies, {} as Config).draftSome([cause], () => version);
  };

  it('is tried again if the store is away: the message is not lost', async () => {
    const away = () => Promise.reject(Object.assign(new Error('away'), { retryable: true }));
    await expect(drafted(away)).rejects.toMatchObject({ retryable: true });
  });

  it('fails if the content is gone', async () => {
    const gone = () => Promise.reject(new ContentLost('gone'));
    expect(await drafted(gone)).toMatchObject([{ code: 'content_lost' }]);
  });
});

it('a draft names its account and campaign, whose templates that hang are refused together', async () => {
  const bodies = { sharedPart: () => Promise.resolve({}) } as unknown as Bodies;
  const launched = { id: 'c1', message: { subject: 'Hi' }, attachments: [] };
  const version = { launched, compiled: null } as unknown as CampaignVersion;
  const cause = { data: { account_id: 'a', contact: {}, accepted_at: '2026-01-02T03:04:05.678Z' } };
  const drafts = await new MailDrafts(bodies, {} as Config).draftSome([cause as unknown as Cause], () => version);
  expect(drafts).toMatchObject([{ job: { account: 'a', campaign: 'c1', subject: 'Hi' } }]);
});
