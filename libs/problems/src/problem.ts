import { ANSWERS, type AnswerCode } from './answers.table';
import type { FaultCode } from './faults.table';

/** One broken rule: `pointer` is a JSON Pointer (RFC 6901) into the request. */
export interface Fault {
  pointer: string;
  code: FaultCode;
  detail: string;
  /** Of `external_message_id_taken`: the message that has the id. */
  message_id?: string;
}

/** At most this many entries are answered; `error_count` tells how many there are. */
export const MAX_FAULTS = 1000;

/** The body of an answer that refuses (RFC 9457). */
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

/** A refusal with its code; thrown anywhere on the way of a request, answered as problem+json. */
export class Problem extends Error {
  constructor(
    readonly code: AnswerCode,
    detail: string,
    readonly faults: Fault[] = [],
    /** Headers of the answer, such as `retry-after`. */
    readonly headers: Record<string, string> = {},
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

/** 422 with every fault found; `detail` counts them, and says what has not become of a call that was to do more than look. */
export function validationFailed(faults: Fault[], undone?: 'accepted' | 'changed'): Problem {
  const broken = faults.length === 1 ? '1 rule is broken.' : `${faults.length} rules are broken.`;
  return new Problem('validation_failed', undone ? `${broken} Nothing was ${undone}.` : broken, faults);
}

/** 503: log or store is away. */
export function unavailable(detail: string, retryAfterSeconds = 2): Problem {
  return new Problem('unavailable', detail, [], { 'retry-after': String(retryAfterSeconds) });
}

/** 503: what was accepted has not all been read, so that to say «there is none» would be a lie to whoever has its 202. */
export function notKnownYet(detail: string): Problem {
  return new Problem('not_known_yet', detail, [], { 'retry-after': '2' });
}
