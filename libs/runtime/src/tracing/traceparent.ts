/** Where a span stands (W3C Trace Context). */
export interface SpanPlace {
  traceId: string;
  spanId: string;
  /** 1: sampled. */
  flags: number;
}

const FORM = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const LONGEST = 200;

/** Undefined where it is none: a trace is then begun anew. Of versions to come the known part is read. */
export function parseTraceparent(text: unknown): SpanPlace | undefined {
  if (typeof text !== 'string' || text.length > LONGEST) return undefined;
  const [, version, traceId, spanId, flags, more] = FORM.exec(text) ?? [];
  if (!traceId || !spanId || (version === '00' && more !== undefined)) return undefined;
  return { traceId, spanId, flags: parseInt(flags!, 16) & 1 };
}

export function formatTraceparent({ traceId, spanId, flags }: SpanPlace): string {
  return `00-${traceId}-${spanId}-0${flags & 1}`;
}
