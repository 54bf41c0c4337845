import type {
  Choice,
  DeadLetters,
  DeadLetterContent,
  DeadLetterFilter,
  DeadLetterList,
  Decision,
  DecisionReport,
} from '@lettermill/log';
import type { ControlAddress } from '@lettermill/runtime';
import { CommandFault } from '../command.fault';

const PATIENCE_MS = 300_000;

/** Operations on dead letters, wherever these are. */
export type Desk = Pick<DeadLetters, 'list' | 'show' | 'decide'>;

/** The dead letters of an embedded process that is running on the directory; that process carries out the operations. */
export class RunningDesk implements Desk {
  constructor(private readonly address: ControlAddress) {}

  list(filter: DeadLetterFilter, limit: number): Promise<DeadLetterList> {
    return this.ask('list', { filter, limit });
  }

  async show(id: string): Promise<DeadLetterContent | undefined> {
    return (await this.ask<DeadLetterContent | null>('show', { id })) ?? undefined;
  }

  decide(decision: Decision, choice: Choice): Promise<DecisionReport> {
    return this.ask('decide', { decision, choice });
  }

  private async ask<T>(what: string, body: object): Promise<T> {
    const { url, token } = this.address;
    let answer: Response;
    let said: unknown;
    try {
      answer = await fetch(`${url}/dead-letters/${what}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      // An answer that is not JSON comes from another program: after a process was killed, its port may have been reused.
      said = await answer.json();
    } catch {
      throw new CommandFault(
        'The process that runs on this DATA_DIR does not answer; it may be starting or ending.',
        1,
      );
    }
    if (!answer.ok) throw new CommandFault(`The running process refused: ${(said as { detail?: string }).detail}`, 1);
    return said as T;
  }
}
