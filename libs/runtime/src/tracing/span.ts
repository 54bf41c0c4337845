/** OpenTelemetry's numbers of the kinds of spans. */
export const SPAN_KIND = { internal: 0, server: 1, client: 2, producer: 3, consumer: 4 } as const;

/** Ids, names and numbers; never addresses, keys or content. */
export type SpanFacts = Record<string, string | number>;

export interface SpanOptions {
  name: string;
  kind?: (typeof SPAN_KIND)[keyof typeof SPAN_KIND];
  /** The `traceparent` of the cause; without one, a new trace begins. */
  parent?: string;
  facts?: SpanFacts;
}

/** A span that has not ended. */
export interface OpenSpan {
  /** For the spans below this one. */
  readonly traceparent: string;
  /** `fault` is the code of what went wrong. */
  end(facts?: SpanFacts, fault?: string): void;
}

export interface Tracing {
  start(service: string, options: SpanOptions): OpenSpan;
  /** Sends spans that still wait, within a short time limit. */
  close(): Promise<void>;
}
