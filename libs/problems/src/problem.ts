import { ANSWERS, type AnswerCode } from './answers.table';
import type { FaultCode } from './faults.table';

/** One broken rule: `pointer` is a JSON Pointer (RFC 6901) into the request. */
export interface Fault {
  pointer: string;
  code: FaultCode;
  detail: string;
  /** Of `external_message_id_taken` and `perhaps_accepted`: the message. */
  message_id?: string;
}

/** An answer lists at most this many faults; `error_count` says how many there are. */
export const MAX_FAULTS = 1000;

/** The body of a refusal (RFC 9457). */
export interface ProblemBody {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
  request_id: string;
  code: AnswerCode;
  fix: string;
  error_count?: number;
  errors?: Fault[];
}

export const PROBLEM_TYPE_BASE = 'https://lettermill.dev/errors#';

/** A refusal with its code; thrown anywhere while a request is handled, and answered as problem+json. */
export class Problem extends Error {
  constructor(
    readonly code: AnswerCode,
    detail: string,
    readonly faults: Fault[] = [],
    /** Headers of the answer, such as `retry-after`. */
    readonly headers: Record<string, string> = {},
    /** What is behind it, for the log alone. */
    readonly why?: string,
  ) {
    super(detail);
  }

  get status(): number {
    return ANSWERS[this.code].status;
  }

  body(instance: string, requestId: string): ProblemBody {
    const { title, status, fix } = ANSWERS[this.code];
    const body: ProblemBody = {
      type: PROBLEM_TYPE_BASE + this.code,
      title,
      status,
      detail: this.message,
      instance,
      request_id: requestId,
      code: this.code,
      fix,
    };
    if (this.faults.length > 0) {
      body.error_count = this.faults.length;
      body.errors = this.faults.slice(0, MAX_FAULTS);
    }
    return body;
  }
}

/** 422 with every fault found. `detail` counts them; for a call that would have changed something it adds that nothing was `undone`. */
export function validationFailed(faults: Fault[], undone?: 'accepted' | 'changed'): Problem {
  const broken = faults.length === 1 ? '1 rule is broken.' : `${faults.length} rules are broken.`;
  return new Problem('validation_failed', undone ? `${broken} Nothing was ${undone}.` : broken, faults);
}

/** 503: the log or a store is unavailable. */
export function unavailable(detail: string, why?: string): Problem {
  return new Problem('unavailable', detail, [], { 'retry-after': '2' }, why);
}

/** 503: not everything that was accepted has been read yet, so a 404 could be wrong to a caller who got a 202. */
export function notKnownYet(detail: string): Problem {
  return new Problem('not_known_yet', detail, [], { 'retry-after': '2' });
}
