import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Put,
  Query,
  Res,
  UseGuards,
} from '@nestjs/common';
import { addressFault, SUPPRESSION_REASONS, suppressionFaults, type SuppressionCause } from '@lettermill/contract';
import { TOPICS, type LostCopy } from '@lettermill/events';
import { Problem, unavailable, validationFailed, type Fault } from '@lettermill/problems';
import {
  AccountId,
  CAUGHT_UP,
  CLOCK,
  InternalGuard,
  pageOf,
  readFilters,
  readPageQuery,
  type CaughtUp,
  type Clock,
  type Page,
} from '@lettermill/runtime';
import type { FastifyReply } from 'fastify';
import { lostCopy, MANUAL, NO_MESSAGE, strengthOf, suppressedForm, UNSUBSCRIBED } from './suppression';
import { lookUpSuppressed } from './suppressions.lookup';
import { cursorOf, placeOf } from './suppressions.query';
import { SUPPRESSIONS_STORE, type Suppressed, type Suppression, type SuppressionsStore } from './suppressions.store';

/** How long a call waits for outcomes that are still on their way here, such as a bounce of a moment ago. */
const CATCH_UP_TIMEOUT_MS = 2000;

interface SuppressionBody {
  address: string;
  reason: string;
  /** Null if an API call was the cause. */
  message_id: string | null;
  /** RFC 3339. */
  at: string;
  /** RFC 3339; null if the recipient has not unsubscribed. */
  unsubscribed_at: string | null;
  /** RFC 3339; null if nobody suppressed it by hand. */
  manual_at: string | null;
}

const instantOrNull = (at: number | null) => (at === null ? null : new Date(at).toISOString());

function bodyOf({ address, reason, messageId, at, unsubscribedAt, manualAt }: Suppressed): SuppressionBody {
  return {
    address,
    reason,
    message_id: messageId === NO_MESSAGE ? null : messageId,
    at: new Date(at).toISOString(),
    unsubscribed_at: instantOrNull(unsubscribedAt),
    manual_at: instantOrNull(manualAt),
  };
}

/** The reason given for suppressing the address in the path. Throws the 422 problem with all faults. */
function checkedReason(address: string, body: unknown = {}): string {
  const fault = addressFault(address);
  const inPath: Fault[] = fault
    ? [{ pointer: '', code: fault.code, detail: `the address in the path: ${fault.detail}` }]
    : [];
  const faults = [...inPath, ...suppressionFaults(body)];
  if (faults.length > 0) throw validationFailed(faults, 'changed');
  return (body as SuppressionCause).reason ?? MANUAL;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

/** Whether the address has this cause, or one as strong. */
function covers({ reason, unsubscribedAt, manualAt }: Suppressed, cause: Suppression): boolean {
  if (cause.reason === UNSUBSCRIBED) return unsubscribedAt !== null;
  if (cause.reason === MANUAL) return manualAt !== null;
  return strengthOf(reason) >= strengthOf(cause.reason);
}

/** Suppressed addresses of the account; called by the gateway. */
@Controller('v2/suppressions')
@UseGuards(InternalGuard)
export class SuppressionsController {
  constructor(
    @Inject(SUPPRESSIONS_STORE) private readonly suppressions: SuppressionsStore,
    @Inject(CAUGHT_UP) private readonly caughtUp: CaughtUp,
    @Inject(CLOCK) private readonly now: Clock,
  ) {}

  /** Newest first; `next_cursor` is null on the last page. 422 if a parameter is invalid. */
  @Get()
  async list(@AccountId() accountId: string, @Query() query: Record<string, unknown>): Promise<Page<SuppressionBody>> {
    const { limit, after, filters } = readPageQuery(query, placeOf, { reason: SUPPRESSION_REASONS });
    const found = await this.suppressions.list(accountId, limit + 1, after, filters.reason);
    return pageOf(found, limit, bodyOf, cursorOf);
  }

  /**
   * 404 if the address is not suppressed. Waits for bounces recorded before this call, 2 s at most: one that is not read by then does not
   * hold mail back yet, either.
   */
  @Get(':address')
  async get(@AccountId() accountId: string, @Param('address') address: string): Promise<SuppressionBody> {
    await this.caughtUp([TOPICS.messageOutcome], CATCH_UP_TIMEOUT_MS);
    const [found] = await this.suppressions.find([{ accountId, address: suppressedForm(address) }]);
    if (!found) throw new Problem('not_found', 'The address is not suppressed.');
    return bodyOf(found);
  }

  /** Which of the addresses are suppressed, in the spelling of the request. Called by the gateway; waits for bounces as `get` does. */
  @Post('lookup')
  @HttpCode(200)
  async lookUp(@AccountId() accountId: string, @Body() body: unknown): Promise<{ data: LostCopy[] }> {
    const { addresses } = (body ?? {}) as { addresses?: unknown };
    if (!isTexts(addresses)) throw new Problem('request_malformed', 'Send addresses.');
    await this.caughtUp([TOPICS.messageOutcome], CATCH_UP_TIMEOUT_MS);
    const refOf = (address: string) => ({ accountId, address: suppressedForm(address) });
    const find = await lookUpSuppressed(this.suppressions, addresses.map(refOf));
    const data = addresses.flatMap((address) => {
      const found = find(refOf(address));
      return found ? { ...lostCopy(found), address } : [];
    });
    return { data };
  }

  /** Answers the suppression as it stands; 201 if the address was not suppressed before. A stronger cause that exists already stays. */
  @Put(':address')
  async suppress(
    @AccountId() accountId: string,
    @Param('address') given: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SuppressionBody> {
    const reason = checkedReason(given, body);
    const ref = { accountId, address: suppressedForm(given) };
    const [before] = await this.suppressions.find([ref]);
    const suppressed = await this.added({ ...ref, reason, messageId: NO_MESSAGE, at: this.now() });
    void reply.status(before ? 200 : 201);
    return bodyOf(suppressed);
  }

  /** 204: mails with unsubscribe links are no longer sent to the address. Called by the gateway, which has checked the link. */
  @Post('unsubscribed')
  @HttpCode(204)
  async unsubscribe(@AccountId() accountId: string, @Body() body: unknown): Promise<void> {
    const { address, message_id: messageId } = (body ?? {}) as { address?: unknown; message_id?: unknown };
    if (typeof address !== 'string' || typeof messageId !== 'string') {
      throw new Problem('request_malformed', 'Send an address and a message_id.');
    }
    await this.added({
      accountId,
      address: suppressedForm(address),
      reason: UNSUBSCRIBED,
      messageId,
      at: this.now(),
    });
  }

  /**
   * 204: mail is sent to the address again. 200 with the weaker cause that remains after the one shown is removed. 404 if it is not
   * suppressed, or for another reason than the one in the query: a call that names its reason can be repeated and removes nothing else.
   */
  @Delete(':address')
  async release(
    @AccountId() accountId: string,
    @Param('address') address: string,
    @Query() query: Record<string, unknown>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SuppressionBody | undefined> {
    const ref = { accountId, address: suppressedForm(address) };
    const { reason } = readFilters(query, { reason: SUPPRESSION_REASONS });
    if (!(await this.suppressions.release(ref, this.now(), reason))) {
      const why = reason === undefined ? 'is not suppressed' : `does not show the reason ${reason}`;
      throw new Problem('not_found', `The address ${why}.`);
    }
    const [left] = await this.suppressions.find([ref]);
    void reply.status(left ? 200 : 204);
    return left && bodyOf(left);
  }

  /**
   * The suppression with this cause, or one as strong that was there before. 503 if it was released at this very moment, or by a process
   * whose clock is ahead: then the cause does not count.
   */
  private async added(cause: Suppression): Promise<Suppressed> {
    await this.suppressions.add([cause]);
    const [found] = await this.suppressions.find([cause]);
    if (!found || !covers(found, cause)) throw unavailable('The suppression was removed a moment ago.');
    return found;
  }
}
