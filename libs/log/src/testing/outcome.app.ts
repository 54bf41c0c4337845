import { Catch, Controller, Get, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { EventPattern, MessagePattern } from '@nestjs/microservices';
import type { FastifyReply } from 'fastify';
import { TOPICS, type AnyEvent } from '@lettermill/events';
import type { ReasonCode } from '@lettermill/problems';
import type { EventBatch } from '../transport/event.batch';

/** An event of the outcome topic; all of them in one partition. */
export function failedEvent(step: string, detail = 'd'): AnyEvent {
  return {
    id: `id/${step}`,
    type: 'MessageFailed',
    source: 'dispatch',
    time: '2026-11-21T10:00:00.000Z',
    key: 'one key, one partition',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    data: { account_id: 'a', message_id: '0'.repeat(18), reason: { code: step as ReasonCode, detail } },
  };
}

/** Handles one topic as the test says. */
export class Script {
  readonly seen: string[][] = [];
  batches: EventBatch[] = [];
  act: (batch: EventBatch) => unknown = () => undefined;
}
export const script = { current: new Script() };

@Controller()
export class OutcomeController {
  @EventPattern(TOPICS.messageOutcome)
  async on(batch: EventBatch): Promise<void> {
    const { current } = script;
    current.batches.push(batch);
    current.seen.push(batch.events.map(({ id }) => id.slice(3)));
    await current.act(batch);
  }

  @Get('broken')
  broken(): void {
    throw new Error('over HTTP');
  }
}

@Controller()
export class TwinController {
  @EventPattern(TOPICS.messageOutcome)
  on(_batch: EventBatch): void {}
}

@Controller()
export class AnsweringController {
  @MessagePattern('question')
  on(_batch: EventBatch): void {}
}

@Controller()
export class DeadLetterController {
  @EventPattern(TOPICS.deadLetter)
  on(_batch: EventBatch): void {}
}

@Catch()
export class HttpFilter implements ExceptionFilter<Error> {
  catch(error: Error, host: ArgumentsHost): void {
    void host.switchToHttp().getResponse<FastifyReply>().code(418).send({ said: error.message });
  }
}

/** Keeps the lines that are logged. */
export class Lines {
  readonly lines: { level: string; fields: object; text: string }[] = [];
  info = (fields: object, text: string) => void this.lines.push({ level: 'info', fields, text });
  warn = (fields: object, text: string) => void this.lines.push({ level: 'warn', fields, text });
  error = (fields: object, text: string) => void this.lines.push({ level: 'error', fields, text });
}
