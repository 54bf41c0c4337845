import { Body, Controller, Get, HttpCode, Param, Post, Query, UseGuards } from '@nestjs/common';
import type { LostCopy } from '@lettermill/events';
import { AccountId, InternalGuard } from '@lettermill/runtime';
import { reportedState, type Delivery, type DeliveryState } from '../lifecycle/delivery';
import { mainRecipientOf, canUnsubscribe, retryRecipients } from '../deliveries/delivery.job';
import type { Refusal } from './order.decide';
import { Orders } from './orders';

interface OrderBody {
  message_id: string;
  state: DeliveryState;
  /** RFC 3339; null when no attempt follows. */
  next_attempt_at: string | null;
}

/** What the gateway has to know before it asks for a retry. */
interface DeliveryBody extends OrderBody {
  /** The recipients of another attempt; null if nothing is stored that could be sent. */
  address: string | null;
  copies: string[];
  /** Whether one can unsubscribe from the mail. */
  can_be_left: boolean;
  /** Why the state does not allow a retry. */
  retry_refused: Refusal | null;
}

function bodyOf(delivery: Delivery): OrderBody {
  const { messageId, dueAt } = delivery;
  const next_attempt_at = dueAt === null ? null : new Date(dueAt).toISOString();
  return { message_id: messageId, state: reportedState(delivery), next_attempt_at };
}

/** Cancels and retries messages that wait or have ended; called by the gateway. */
@Controller('v2/messages/:message_id')
@UseGuards(InternalGuard)
export class OrdersController {
  constructor(private readonly orders: Orders) {}

  @Post('cancel')
  @HttpCode(200)
  async cancel(
    @AccountId() accountId: string,
    @Param('message_id') messageId: string,
    @Query('unseen') unseen?: string,
  ): Promise<OrderBody> {
    return bodyOf(await this.orders.cancel({ accountId, messageId }, unseen === 'true'));
  }

  @Post('retry')
  @HttpCode(202)
  async retry(
    @AccountId() accountId: string,
    @Param('message_id') messageId: string,
    @Body() body?: { suppressed_copies?: LostCopy[] },
  ): Promise<OrderBody> {
    return bodyOf(await this.orders.retry({ accountId, messageId }, body?.suppressed_copies ?? []));
  }

  /** For the gateway only. */
  @Get('delivery')
  async delivery(@AccountId() accountId: string, @Param('message_id') messageId: string): Promise<DeliveryBody> {
    const found = await this.orders.find({ accountId, messageId });
    const address = mainRecipientOf(found.content);
    const copies = retryRecipients(found).filter((one) => one !== address);
    const retry_refused = this.orders.retryRefusal(found);
    return { ...bodyOf(found), address, copies, can_be_left: canUnsubscribe(found.content), retry_refused };
  }
}
