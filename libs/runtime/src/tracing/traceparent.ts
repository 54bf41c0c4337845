/** The place of a span in a trace (W3C Trace Context). */
export interface SpanPlace {
  traceId: string;
  spanId: string;
  /** 1: sampled. */
  flags: number;
}

const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const MAX_TRACEPARENT_LENGTH = 200;

/** Undefined if the text is no traceparent; a new trace begins then. Of future versions it reads the known part. */
export function parseTraceparent(text: unknown): SpanPlace | undefined {
  if (typeof text !== 'string' || text.length > MAX_TRACEPARENT_LENGTH) return undefined;
  const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(text) ?? [];
  if (!traceId || !spanId || (version === '00' && more !== undefined)) return undefined;
  return { traceId, spanId, flags: parseInt(flags!, 16) & 1 };
}

export function formatTraceparent({ traceId, spanId, flags }: SpanPlace): string {
  return `00-${traceId}-${spanId}-0${flags & 1}`;
}
