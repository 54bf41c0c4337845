import type { PriorityRank } from '../deliveries/deliveries.store';
import type { Withdrawal } from '../smtp/smtp.withdrawal';

/** `back`: nothing may begin for a while, and the claim is to be given back. */
export type Turn = 'go' | 'back';

interface WaitingClaim {
  rank: PriorityRank;
  called(turn: Turn): void;
}

/** How many mails of that priority may be sent at once; 0 while none may for a while. */
export type TurnLimit = (rank: PriorityRank) => number;

/**
 * Claims wait here for a connection, so that no connection waits for a claim. They proceed by priority, then in order of arrival. A waiting
 * claim holds a lease and has not begun: if it is given back, it does not count as an attempt.
 */
export class Turns {
  private speaking = 0;
  private readonly waiting: WaitingClaim[] = [];

  constructor(private readonly most: TurnLimit) {}

  /** Resolves when this claim may begin; the caller calls `end` when it is done. A withdrawn claim gets `back` at once. */
  take(rank: PriorityRank, withdrawal: Withdrawal): Promise<Turn> {
    return new Promise((resolve) => {
      const one: WaitingClaim = {
        rank,
        called: (turn) => {
          withdrawal.unlisten(withdrawn);
          if (turn === 'go') this.speaking += 1;
          resolve(turn);
        },
      };
      const withdrawn = () => {
        this.waiting.splice(this.waiting.indexOf(one), 1);
        one.called('back');
      };
      if (withdrawal.withdrawn) return resolve('back');
      withdrawal.listen(withdrawn);
      const behind = this.waiting.findIndex((other) => other.rank > rank);
      this.waiting.splice(behind < 0 ? this.waiting.length : behind, 0, one);
      this.proceed();
    });
  }

  end(): void {
    this.speaking -= 1;
    this.proceed();
  }

  /** Lets as many claims begin as there is room for; to be called when room is added, or there is none at all any more. */
  proceed(): void {
    for (let next = this.waiting[0]; next; next = this.waiting[0]) {
      const most = this.most(next.rank);
      if (most > 0 && this.speaking >= most) return;
      this.waiting.shift();
      next.called(most > 0 ? 'go' : 'back');
    }
  }
}
