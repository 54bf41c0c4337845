/** OpenTelemetry's numbers of the kinds of spans. */
export const SPAN_KIND = { internal: 0, server: 1, client: 2, producer: 3, consumer: 4 } as const;

/** Never addresses, keys or content: ids, names, numbers. */
export type SpanFacts = Record<string, string | number>;

export interface SpanOptions {
  name: string;
  kind?: (typeof SPAN_KIND)[keyof typeof SPAN_KIND];
  /** The `traceparent` that what is done came with; without one a trace begins. */
  parent?: string;
  facts?: SpanFacts;
}

/** Something that is being done, as a trace shows it. */
export interface OpenSpan {
  /** For whatever follows from it. */
  readonly traceparent: string;
  /** `fault` is the code of what went wrong. */
  end(facts?: SpanFacts, fault?: string): void;
}

export interface Tracing {
  start(service: string, options: SpanOptions): OpenSpan;
  /** Sends what waits, for a moment at most. */
  close(): Promise<void>;
}
