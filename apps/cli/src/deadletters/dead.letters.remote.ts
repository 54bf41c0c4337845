import type { ControlAddress } from '@lettermill/config';
import type {
  DeadLetterChoice,
  DeadLetters,
  DeadLetterContent,
  DeadLetterFilter,
  DeadLetterList,
  Decision,
  DecisionReport,
} from '@lettermill/log';
import { wholeBody } from '@lettermill/web';
import { CommandFault } from '../command.fault';

const REQUEST_TIMEOUT_MS = 300_000;

/** Operations on dead letters, wherever these are. */
export type DeadLetterOperations = Pick<DeadLetters, 'list' | 'show' | 'decide'>;

/** The dead letters of an embedded process that is running on the directory; that process carries out the operations. */
export class RemoteDeadLetters implements DeadLetterOperations {
  constructor(private readonly address: ControlAddress) {}

  list(filter: DeadLetterFilter, limit: number): Promise<DeadLetterList> {
    return this.ask('list', { filter, limit });
  }

  async show(id: string): Promise<DeadLetterContent | undefined> {
    return (await this.ask<DeadLetterContent | null>('show', { id })) ?? undefined;
  }

  decide(decision: Decision, choice: DeadLetterChoice): Promise<DecisionReport> {
    return this.ask('decide', { decision, choice });
  }

  private async ask<T>(operation: string, body: object): Promise<T> {
    const { url, token } = this.address;
    let answer: Response;
    let result: unknown;
    const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    try {
      answer = await fetch(`${url}/dead-letters/${operation}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal,
      });
      // An answer that is not JSON comes from another program: after a process was killed, its port may have been reused.
      result = JSON.parse((await wholeBody(answer, signal)).toString());
    } catch {
      throw new CommandFault(
        'The process that runs on this DATA_DIR does not answer; it may be starting or ending.',
        1,
      );
    }
    if (!answer.ok) throw new CommandFault(`The running process refused: ${(result as { detail?: string }).detail}`, 1);
    return result as T;
  }
}
