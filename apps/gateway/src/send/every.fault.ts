import { MAX_BODY_TEXT_BYTES, sendFaults } from '@lettermill/contract';
import type { Fault } from '@lettermill/problems';
import { templateFaults } from '@lettermill/templates';
import { campaignName, type CampaignName } from '../campaigns/campaigns.view';

type Json = Record<string, unknown>;

const MOST_RECIPIENTS = 100;

/**
 * Every fault of a request that breaks the contract (design 4.2): what its shape tells, and what can be told beside that of the parts
 * whose shape is right. `isKnown` tells whether the account has a campaign.
 */
export async function everyFault(body: unknown, isKnown: (name: CampaignName) => Promise<boolean>): Promise<Fault[]> {
  const faults = sendFaults(body);
  if (!isObject(body)) return faults;
  const wrong = new Set(faults.map(({ pointer }) => pointer));
  const campaign = campaignIn(body.campaign, wrong);
  if (campaign && !(await isKnown(campaign))) faults.push(unknownCampaign(campaign));
  const templates = await Promise.all(
    textsIn(body).map(({ message, pointer }) => templateFaults(readable(message, pointer, wrong), pointer)),
  );
  return [...faults, ...templates.flat()];
}

export function unknownCampaign(name: CampaignName): Fault {
  const value = 'id' in name ? name.id : name.slug;
  return { pointer: '/campaign', code: 'campaign_unknown', detail: `No campaign «${value}» was launched here.` };
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function campaignIn(campaign: unknown, wrong: Set<string>): CampaignName | undefined {
  if ([...wrong].some((pointer) => /^\/campaign(?:\/|$)/.test(pointer))) return undefined;
  return campaignName(campaign as string | CampaignName);
}

/** The `message` of every level that has one. */
function textsIn({ message, to }: Json): { message: Json; pointer: string }[] {
  const recipients = Array.isArray(to)
    ? (to as unknown[]).slice(0, MOST_RECIPIENTS).map((one, at) => ({ one, pointer: `/to/${at}` }))
    : [{ one: to, pointer: '/to' }];
  const levels = [{ message, pointer: '/message' }].concat(
    recipients.map(({ one, pointer }) => ({
      message: isObject(one) ? one.message : undefined,
      pointer: `${pointer}/message`,
    })),
  );
  return levels.flatMap(({ message: found, pointer }) => (isObject(found) ? { message: found, pointer } : []));
}

/** The templates that are texts of a size that is taken, and have no fault yet. */
function readable(message: Json, pointer: string, wrong: Set<string>): Json {
  const fields = ['subject', 'text', 'html'].filter((field) => {
    const text = message[field];
    return typeof text === 'string' && text.length <= MAX_BODY_TEXT_BYTES && !wrong.has(`${pointer}/${field}`);
  });
  return Object.fromEntries(fields.map((field) => [field, message[field]]));
}
