// Spans, and those that lie within their parents: each ends no sooner than the last of its children, whatever outlives the part that began it.

export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** A span that has begun. Times are in ms since 1970. */
export interface Span {
  set(attributes: Attributes): void;
  event(name: string, attributes: Attributes): void;
  /** `failure` is its kind. */
  end(atMs?: number, failure?: string): void;
}

export interface SpanBegin {
  readonly parent?: Span;
  readonly atMs: number;
  /** True for a request to a server. */
  readonly isClient?: boolean;
}

export interface SpanSink {
  begin(name: string, attributes: Attributes, begin: SpanBegin): Span;
}

export class NestedSpan {
  private readonly span: Span;
  private readonly parent: NestedSpan | undefined;
  private open = 0;
  private endMs = 0;
  private ended: { readonly failure: string | undefined } | undefined;

  constructor(
    sink: SpanSink,
    name: string,
    attributes: Attributes,
    { parent, ...begin }: Omit<SpanBegin, 'parent'> & { readonly parent?: NestedSpan | undefined },
  ) {
    this.span = sink.begin(name, attributes, { ...begin, ...(parent && { parent: parent.span }) });
    this.parent = parent;
    if (parent !== undefined) parent.open++;
  }

  set(attributes: Attributes): void {
    this.span.set(attributes);
  }

  event(name: string, attributes: Attributes): void {
    this.span.event(name, attributes);
  }

  /** Ends it, once its children have. `failure` is its kind. A second call changes nothing. */
  end(atMs: number, failure?: string): void {
    if (this.ended !== undefined) return;
    this.ended = { failure };
    this.endMs = Math.max(this.endMs, atMs);
    this.settle();
  }

  /** Takes it back: it is not sent, and its parent does not wait for it. */
  drop(): void {
    if (this.ended !== undefined) return;
    this.ended = { failure: undefined };
    this.parent?.childEnded(0);
  }

  private childEnded(atMs: number): void {
    this.open--;
    this.endMs = Math.max(this.endMs, atMs);
    this.settle();
  }

  private settle(): void {
    if (this.ended === undefined || this.open > 0) return;
    this.span.end(this.endMs, this.ended.failure);
    this.parent?.childEnded(this.endMs);
  }
}
