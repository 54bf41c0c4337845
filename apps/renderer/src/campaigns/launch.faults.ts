import {
  campaignFaults,
  decodedSize,
  isKeptFile,
  isUrlFile,
  MAX_ATTACHMENT_BYTES,
  MAX_BODY_TEXT_BYTES,
  type CampaignAttachment,
  type CampaignLaunch,
  isSlug,
} from '@lettermill/contract';
import type { Fault } from '@lettermill/problems';
import { launchedTemplateFaults } from '@lettermill/templates';

/** Every fault of a launch, templates included; without faults the body is a `CampaignLaunch`. */
export async function launchFaults(accountId: string, slug: string, body: unknown): Promise<Fault[]> {
  const faults = [...slugFaults(slug), ...campaignFaults(body)];
  const templates = await launchedTemplateFaults(accountId, templatesOf(body), asksForUnsubscribeLinks(body));
  const sizes = faults.length === 0 ? sizeFaults(body as CampaignLaunch) : [];
  return [...faults, ...templates, ...sizes];
}

function slugFaults(slug: string): Fault[] {
  if (isSlug(slug)) return [];
  const detail = 'the slug in the path must be 3 to 40 letters, digits, hyphens or underscores';
  return [{ pointer: '', code: 'bad_format', detail }];
}

/** A value that is none of those allowed has a fault of its own. */
function asksForUnsubscribeLinks(body: unknown): boolean {
  return typeof body === 'object' && body !== null && (body as { unsubscribe?: unknown }).unsubscribe !== undefined;
}

/** Longer texts are refused anyway, so they are not parsed. */
function templatesOf(body: unknown): Record<string, unknown> {
  if (typeof body !== 'object' || body === null) return {};
  const { subject, text, html } = body as Record<string, unknown>;
  const entries = Object.entries({ subject, text, html });
  return Object.fromEntries(
    entries.filter(([, value]) => typeof value === 'string' && value.length <= MAX_BODY_TEXT_BYTES),
  );
}

/** A file that has yet to be fetched counts when it is. */
function sizeOf(file: CampaignAttachment): number {
  if (isKeptFile(file)) return file.size;
  return isUrlFile(file) ? 0 : decodedSize(file.data);
}

/** 10 MiB over all files (docs/send.md 11); the fault is at the file that exceeds the limit. */
function sizeFaults({ attachments = [] }: CampaignLaunch): Fault[] {
  let total = 0;
  const crossing = attachments.findIndex((file) => (total += sizeOf(file)) > MAX_ATTACHMENT_BYTES);
  if (crossing < 0) return [];
  const detail = `the attachments of a campaign can have ${MAX_ATTACHMENT_BYTES} bytes together; this one exceeds that`;
  return [{ pointer: `/attachments/${crossing}`, code: 'attachments_too_large', detail }];
}
