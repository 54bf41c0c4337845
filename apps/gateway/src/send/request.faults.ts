import { isObject, MAX_BODY_TEXT_BYTES, sendFaults, type Json } from '@lettermill/contract';
import { unavailable, type Fault } from '@lettermill/problems';
import { templateFaults } from '@lettermill/templates';
import type { FilesToCheck } from '../attachments/file.faults';
import { campaignName, NO_FILES, type CampaignName, type KnownCampaign } from '../campaigns/campaigns.view';
import type { TakenId, Unanswered } from './claims.store';
import { levelsIn, recipientsIn, type RequestLevel } from '../attachments/request.levels';

const TAKEN_CODE = 'external_message_id_taken';

/** What is known of the account and of the request, as far as it is needed to find faults. */
export interface AccountLookups {
  accountId: string;
  campaign(name: CampaignName): Promise<Pick<KnownCampaign, 'files'> | undefined>;
  taken(externalIds: string[]): Promise<TakenId[]>;
  /** Faults of the files that can be found without I/O. */
  files(asked: Omit<FilesToCheck, 'uploads'>): Fault[];
}

/**
 * Every fault of a request that breaks the contract (docs/send.md 2): those of its shape, and those that can be found in the parts whose
 * shape is valid. Nothing is fetched.
 */
export async function requestFaults(body: unknown, account: AccountLookups): Promise<Fault[]> {
  const shape = sendFaults(body);
  if (!isObject(body)) return shape;
  const taken = await takenFaults(recipientsIn(body), shape, account);
  const takenPointers = new Set(taken.map(({ pointer }) => pointer));
  // That an id is twice in the request is less helpful than the message that has it already.
  const faults = [...shape.filter(({ pointer, code }) => code !== TAKEN_CODE || !takenPointers.has(pointer)), ...taken];
  const wrong = new Set(faults.map(({ pointer }) => pointer));
  const name = campaignNamed(body.campaign, wrong);
  const campaign = name && (await account.campaign(name));
  if (name && !campaign) faults.push(unknownCampaign(name));
  faults.push(...account.files({ body, wrong, ofCampaign: campaign?.files ?? NO_FILES }));
  return [...faults, ...(await allTemplateFaults(account.accountId, body, wrong))];
}

/** No request takes the thread for longer: its client has given up by then. What was checked is cached, so that a retry goes on from there. */
const TEMPLATES_TIMEOUT_MS = 30_000;

/**
 * Faults of the templates of every level. `wrong` has the pointers of known faults; no further faults are reported there. One template
 * after the other: those that take long share one thread with other requests, which must get their turns. Throws `unavailable` if not all
 * are checked in time.
 */
export async function allTemplateFaults(
  accountId: string,
  body: Json,
  wrong: ReadonlySet<string> = new Set(),
  timeoutMs = TEMPLATES_TIMEOUT_MS,
): Promise<Fault[]> {
  const faults: Fault[] = [];
  const startedAt = performance.now();
  for (const { message, pointer } of messagesIn(levelsIn(body))) {
    if (performance.now() - startedAt > timeoutMs)
      throw unavailable('The templates cannot all be checked in time now.');
    faults.push(...(await templateFaults(accountId, checkableTemplates(message, pointer, wrong), pointer)));
  }
  return faults;
}

export function unknownCampaign(name: CampaignName): Fault {
  const value = 'id' in name ? name.id : name.slug;
  return { pointer: '/campaign', code: 'campaign_unknown', detail: `The account has no campaign «${value}».` };
}

function campaignNamed(campaign: unknown, wrong: Set<string>): CampaignName | undefined {
  if ([...wrong].some((pointer) => /^\/campaign(?:\/|$)/.test(pointer))) return undefined;
  return campaignName(campaign as string | CampaignName);
}

/** A fault for every well-formed external id that a message has already, each with its own pointer (docs/send.md 12). */
async function takenFaults(recipients: RequestLevel[], shape: Fault[], account: AccountLookups): Promise<Fault[]> {
  const wrong = new Set(shape.filter(({ code }) => code !== TAKEN_CODE).map(({ pointer }) => pointer));
  const ids = recipients.flatMap(({ one, pointer }) => {
    const { contact_key: key, external_message_id: id } = isObject(one) ? one : {};
    const at = `${pointer}/external_message_id`;
    return key !== undefined && typeof id === 'string' && !wrong.has(at) ? [{ id, at }] : [];
  });
  if (ids.length === 0) return [];
  const taken = await account.taken(ids.map(({ id }) => id));
  const takenBy = new Map(taken.map((one) => [one.value, one]));
  return ids.flatMap(({ id, at }) => {
    const one = takenBy.get(id);
    return one ? [{ pointer: at, code: TAKEN_CODE, detail: takenDetail(one), message_id: one.messageId }] : [];
  });
}

const UNANSWERED: Record<Unanswered, (messageId: string) => string> = {
  'other contact': (messageId) =>
    `A call to another contact had this external_message_id and was never answered; its message would be ${messageId}. ` +
    'Repeat that call, or look the message up before you use another id.',
  'other recipients': (messageId) =>
    'Another call had this external_message_id, also for recipients without one, and was never answered; ' +
    `its message would be ${messageId}. Repeat that call unchanged, or look the message up before you use another id.`,
  'too old': (messageId) =>
    'A call had this external_message_id too long ago to be continued, and was never answered; ' +
    `its message would be ${messageId}. Look the message up before you use another id.`,
};

function takenDetail({ messageId, unanswered }: TakenId): string {
  return unanswered ? UNANSWERED[unanswered](messageId) : `Message ${messageId} has this external_message_id.`;
}

/** The `message` of each level that has one. */
function messagesIn(levels: RequestLevel[]): { message: Json; pointer: string }[] {
  return levels.flatMap(({ one, pointer }) =>
    isObject(one) && isObject(one.message) ? [{ message: one.message, pointer: `${pointer}/message` }] : [],
  );
}

/** The templates that are strings of acceptable size and have no fault yet. */
function checkableTemplates(message: Json, pointer: string, wrong: ReadonlySet<string>): Json {
  const fields = ['subject', 'text', 'html'].filter((field) => {
    const text = message[field];
    return typeof text === 'string' && text.length <= MAX_BODY_TEXT_BYTES && !wrong.has(`${pointer}/${field}`);
  });
  return Object.fromEntries(fields.map((field) => [field, message[field]]));
}
