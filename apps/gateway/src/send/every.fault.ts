import { MAX_BODY_TEXT_BYTES, sendFaults } from '@lettermill/contract';
import type { Fault } from '@lettermill/problems';
import { templateFaults } from '@lettermill/templates';
import type { Judged } from '../attachments/file.faults';
import { campaignName, NO_FILES, type CampaignName, type KnownCampaign } from '../campaigns/campaigns.view';
import type { TakenId } from './claims.store';
import { isObject, levelsIn, recipientsIn, type Json, type Level } from './levels';

const TAKEN = 'external_message_id_taken';

/** What an account has and what a request brought, as far as it can be told. */
export interface Holdings {
  campaign(name: CampaignName): Promise<Pick<KnownCampaign, 'files'> | undefined>;
  taken(externalIds: string[]): Promise<TakenId[]>;
  /** Faults of the files that nobody has to be asked for. */
  files(asked: Omit<Judged, 'uploads'>): Fault[];
}

/**
 * Every fault of a request that breaks the contract (docs/send.md 2): what its shape tells, and what can be told beside that of the parts
 * whose shape is right. Nothing is fetched for it.
 */
export async function everyFault(body: unknown, account: Holdings): Promise<Fault[]> {
  const shape = sendFaults(body);
  if (!isObject(body)) return shape;
  const taken = await takenFaults(recipientsIn(body), shape, account);
  const named = new Set(taken.map(({ pointer }) => pointer));
  // That an id is twice in the request says less than which message has it.
  const faults = [...shape.filter(({ pointer, code }) => code !== TAKEN || !named.has(pointer)), ...taken];
  const wrong = new Set(faults.map(({ pointer }) => pointer));
  const name = campaignIn(body.campaign, wrong);
  const campaign = name && (await account.campaign(name));
  if (name && !campaign) faults.push(unknownCampaign(name));
  faults.push(...account.files({ body, wrong, ofCampaign: campaign?.files ?? NO_FILES }));
  return [...faults, ...(await textFaults(body, wrong))];
}

/**
 * Faults of the templates of every level. `wrong` has the pointers of what is known to be wrong; nothing more is said of those. One after
 * the other: what takes long waits for the one thread there is, where other requests are to have their turn.
 */
export async function textFaults(body: Json, wrong: ReadonlySet<string> = new Set()): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const { message, pointer } of textsIn(levelsIn(body))) {
    faults.push(...(await templateFaults(readable(message, pointer, wrong), pointer)));
  }
  return faults;
}

export function unknownCampaign(name: CampaignName): Fault {
  const value = 'id' in name ? name.id : name.slug;
  return { pointer: '/campaign', code: 'campaign_unknown', detail: `The account has no campaign «${value}».` };
}

function campaignIn(campaign: unknown, wrong: Set<string>): CampaignName | undefined {
  if ([...wrong].some((pointer) => /^\/campaign(?:\/|$)/.test(pointer))) return undefined;
  return campaignName(campaign as string | CampaignName);
}

/** Every external id that is well formed and has a message, each at its own place (docs/send.md 12). */
async function takenFaults(recipients: Level[], shape: Fault[], account: Holdings): Promise<Fault[]> {
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
function textsIn(levels: Level[]): { message: Json; pointer: string }[] {
  return levels.flatMap(({ one, pointer }) =>
    isObject(one) && isObject(one.message) ? [{ message: one.message, pointer: `${pointer}/message` }] : [],
  );
}

/** The templates that are texts of a size that is taken, and have no fault yet. */
function readable(message: Json, pointer: string, wrong: ReadonlySet<string>): Json {
  const fields = ['subject', 'text', 'html'].filter((field) => {
    const text = message[field];
    return typeof text === 'string' && text.length <= MAX_BODY_TEXT_BYTES && !wrong.has(`${pointer}/${field}`);
  });
  return Object.fromEntries(fields.map((field) => [field, message[field]]));
}
