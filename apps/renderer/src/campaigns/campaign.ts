import { isId, isSlug } from '@lettermill/contract';
import type { Body, CampaignLaunched, Details } from '@lettermill/events';

/** The content of a launch in the form that events carry. The html is as launched; it may be MJML. */
export type CampaignContent = Omit<
  CampaignLaunched,
  'account_id' | 'id' | 'slug' | 'version' | 'launched_at' | 'fingerprint'
>;

/** A version of a campaign. It never changes. */
export interface CampaignVersion {
  launched: CampaignLaunched;
  /** The html compiled from the MJML of the message; null if the message has no MJML. */
  compiled: Body | null;
}

/** A version without its bodies, as lists show it. */
export type CampaignHead = Omit<CampaignLaunched, 'message'> & { message: Omit<Details, 'text' | 'html'> };

export type CampaignName = { slug: string } | { id: string };

/** A campaign as the API answers it. */
export type CampaignAnswer = ReturnType<typeof campaignAnswer>;

/** The names that a path segment may be: some texts are valid as slug and as id, and the slug is tried first. */
export function namesOf(slugOrId: string): CampaignName[] {
  return [...(isSlug(slugOrId) ? [{ slug: slugOrId }] : []), ...(isId(slugOrId) ? [{ id: slugOrId }] : [])];
}

/** A campaign as the API answers it, with its bodies if they are passed. */
export function campaignAnswer(campaign: CampaignHead, bodies: { text?: string; html?: string } = {}) {
  const { id, slug, version, name, from, priority, on_uncertain, valid_for, unsubscribe, launched_at, attachments } =
    campaign;
  const on_missing = campaign.on_missing ?? 'blank';
  return {
    id,
    slug,
    version,
    name,
    from,
    priority,
    on_uncertain,
    on_missing,
    valid_for,
    unsubscribe,
    launched_at,
    ...campaign.message,
    text: bodies.text,
    html: bodies.html,
    attachments: attachments.map(({ file_name, content_type, size, cid }) => ({ file_name, content_type, size, cid })),
  };
}
