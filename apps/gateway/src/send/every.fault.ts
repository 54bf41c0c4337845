import { MAX_BODY_TEXT_BYTES, sendFaults } from '@lettermill/contract';
import type { Fault } from '@lettermill/problems';
import { templateFaults } from '@lettermill/templates';
import { campaignName, type CampaignName } from '../campaigns/campaigns.view';
import type { TakenId } from './claims.store';

type Json = Record<string, unknown>;

const MOST_RECIPIENTS = 100;
const TAKEN = 'external_message_id_taken';

/** What stands for a recipient, whatever it is. */
interface Placed {
  one: unknown;
  pointer: string;
}

/** What an account has, as far as it can be told. */
export interface Holdings {
  knows(campaign: CampaignName): Promise<boolean>;
  taken(externalIds: string[]): Promise<TakenId[]>;
}

/**
 * Every fault of a request that breaks the contract (design 4.2): what its shape tells, and what can be told beside that of the parts
 * whose shape is right.
 */
export async function everyFault(body: unknown, account: Holdings): Promise<Fault[]> {
  const shape = sendFaults(body);
  if (!isObject(body)) return shape;
  const recipients = recipientsIn(body);
  const taken = await takenFaults(recipients, shape, account);
  const named = new Set(taken.map(({ pointer }) => pointer));
  // That an id is twice in the request says less than which message has it.
  const faults = [...shape.filter(({ pointer, code }) => code !== TAKEN || !named.has(pointer)), ...taken];
  const wrong = new Set(faults.map(({ pointer }) => pointer));
  const campaign = campaignIn(body.campaign, wrong);
  if (campaign && !(await account.knows(campaign))) faults.push(unknownCampaign(campaign));
  const templates = await Promise.all(
    textsIn(body, recipients).map(({ message, pointer }) => templateFaults(readable(message, pointer, wrong), pointer)),
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

function recipientsIn({ to }: Json): Placed[] {
  return Array.isArray(to)
    ? (to as unknown[]).slice(0, MOST_RECIPIENTS).map((one, at) => ({ one, pointer: `/to/${at}` }))
    : [{ one: to, pointer: '/to' }];
}

/** Every external id that is well formed and has a message, each at its own place (design 4.12). */
async function takenFaults(recipients: Placed[], shape: Fault[], account: Holdings): Promise<Fault[]> {
  const wrong = new Set(shape.filter(({ code }) => code !== TAKEN).map(({ pointer }) => pointer));
  const ids = recipients.flatMap(({ one, pointer }) => {
    const { contact_key: key, external_message_id: id } = isObject(one) ? one : {};
    const at = `${pointer}/external_message_id`;
    return key !== undefined && typeof id === 'string' && !wrong.has(at) ? [{ id, at }] : [];
  });
  if (ids.length === 0) return [];
  const taken = await account.taken(ids.map(({ id }) => id));
  const messageOf = new Map(taken.map(({ value, messageId }) => [value, messageId]));
  return ids.flatMap(({ id, at }) => {
    const messageId = messageOf.get(id);
    const detail = `Message ${messageId} has this external_message_id.`;
    return messageId === undefined ? [] : [{ pointer: at, code: TAKEN, detail, message_id: messageId }];
  });
}

/** The `message` of every level that has one. */
function textsIn({ message }: Json, recipients: Placed[]): { message: Json; pointer: string }[] {
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
