import { isId, isSlug } from '@lettermill/contract';
import type { Body, CampaignLaunched, Details } from '@lettermill/events';

/** What a launch says, in the form that events carry. Html is as launched: it may be MJML. */
export type CampaignContent = Omit<
  CampaignLaunched,
  'account_id' | 'id' | 'slug' | 'version' | 'launched_at' | 'fingerprint'
>;

/** A version of a campaign. It never changes. */
export interface CampaignVersion {
  launched: CampaignLaunched;
  /** The html made from the MJML of the message; null where that is no MJML. */
  compiled: Body | null;
}

/** A version without its bodies, as lists show it. */
export type CampaignHead = Omit<CampaignLaunched, 'message'> & { message: Omit<Details, 'text' | 'html'> };

export type CampaignName = { slug: string } | { id: string };

/** What a caller sees of a campaign. */
export type CampaignAnswer = ReturnType<typeof campaignAnswer>;

/** What a path segment may name: some texts are a slug and an id as well, the slug comes first. */
export function namesOf(slugOrId: string): CampaignName[] {
  return [...(isSlug(slugOrId) ? [{ slug: slugOrId }] : []), ...(isId(slugOrId) ? [{ id: slugOrId }] : [])];
}

/** A campaign as its owner answers it; the bodies come beside, where they are wanted. */
export function campaignAnswer(campaign: CampaignHead, bodies: { text?: string; html?: string } = {}) {
  const { id, slug, version, name, from, priority, on_uncertain, valid_for, unsubscribe, launched_at, attachments } =
    campaign;
  const on_missing = campaign.on_missing ?? 'blank';
  return {
    ...{ id, slug, version, name, from, priority, on_uncertain, on_missing, valid_for, unsubscribe, launched_at },
    ...campaign.message,
    ...{ text: bodies.text, html: bodies.html },
    attachments: attachments.map(({ file_name, content_type, size, cid }) => ({ file_name, content_type, size, cid })),
  };
}
