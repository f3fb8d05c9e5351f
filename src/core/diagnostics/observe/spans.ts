// Converts events and requests of operations to spans: an operation is a trace, its parts follow each other, and chunks and requests are
// nested in them. Independent of OpenTelemetry. Spans never contain the name of a file or folder, or error messages, which may contain one
// (docs/decisions/054).
import type { Phase, Step } from '../../events/events.js';
import { UPLOAD_ID } from '../../store/ids/upload-id.js';
import { byType, type Event } from './by-type.js';
import type { StoreRequest } from '../../events/observer.js';

export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** A span that has begun. Times are in ms since 1970. */
export interface Span {
  set(attributes: Attributes): void;
  event(name: string, attributes: Attributes): void;
  /** `failure` is its kind. */
  end(atMs?: number, failure?: string): void;
}

export interface SpanSink {
  begin(name: string, attributes: Attributes, parent?: Span, atMs?: number): Span;
}

/** Phases that become parts under another name; a commit reports its own parts. */
const PARTS: Partial<Record<Phase, string>> = {
  scanning: 'scan',
  transferring: 'transfer',
  committing: '',
  finishing: 'finish',
};
const CHUNK = /(?:^|\/)shard-\d+\/chunk-(\d+)[^/]*$/;
const ROLES: readonly (readonly [RegExp, string])[] = [
  [CHUNK, 'chunk'],
  [/(?:^|\/)manifest\.json\.gz[^/]*$/, 'manifest'],
  [new RegExp(`(?:^|/)uploads/${UPLOAD_ID}/files/`), 'file'],
  [/(?:^|\/)datasets\//, 'record'],
];
/** Limit of failed objects whose attempts are counted at the same time. */
const MOST_TRIED = 1000;

interface OpenChunk {
  readonly span: Span;
  /** Set only for an upload. */
  readonly pack: Span | undefined;
}

export class OperationSpans {
  private root: Span | undefined;
  private part: Span | undefined;
  private isRestore = false;
  private skipped = 0;
  private readonly chunks = new Map<number, OpenChunk>();
  private readonly failed = new Map<string, number>();

  constructor(
    private readonly sink: SpanSink,
    private readonly about: Attributes,
  ) {}

  readonly take = byType({
    start: (event) => this.start(event),
    phase: ({ phase }) => this.phase(phase),
    step: ({ step, uploadId }) => this.step(step, uploadId),
    chunk: (event) => this.chunk(event),
    plan: (event) => this.root?.set(plannedOf(event)),
    skip: () => void this.skipped++,
    retry: ({ service, trouble, attempt, maxAttempts, waitMs }) => {
      const about = { service, trouble, attempt, max_attempts: maxAttempts, wait_ms: waitMs };
      (this.part ?? this.root)?.event('retry', about);
    },
    end: (event) => this.end(event),
  });

  readonly onRequest = ({ kind, key = '', storageClass, bytes, startedMs, durationMs, code }: StoreRequest): void => {
    if (this.root === undefined) return;
    const role = ROLES.find(([pattern]) => pattern.test(key))?.[1];
    const chunk = Number(CHUNK.exec(key)?.[1] ?? -1);
    const parent = (role === 'chunk' ? this.chunks.get(chunk)?.span : undefined) ?? this.part ?? this.root;
    const about = {
      'archiver.storage_class': storageClass,
      'archiver.bytes': bytes,
      ...(role !== undefined && { 'archiver.object': role }),
      ...(role === 'chunk' && { 'archiver.chunk': chunk }),
      ...(key !== '' && { 'archiver.attempt': this.attemptOf(`${kind} ${key}`, code !== undefined) }),
    };
    this.sink.begin(kind, about, parent, startedMs).end(startedMs + durationMs, code);
  };

  private start({ operation, source, target }: Event<'start'>): void {
    this.close();
    this.isRestore = operation === 'restore' || operation === 'download';
    const store = storeName(this.isRestore ? source : target);
    this.root = this.sink.begin(operation, { ...this.about, 'archiver.store': store });
  }

  /** Returns the number of this attempt at an object. */
  private attemptOf(name: string, hasFailed: boolean): number {
    const attempt = (this.failed.get(name) ?? 0) + 1;
    if (!hasFailed) this.failed.delete(name);
    else if (this.failed.size < MOST_TRIED || attempt > 1) this.failed.set(name, attempt);
    return attempt;
  }

  private phase(phase: Phase): void {
    const name = PARTS[phase] ?? phase;
    if (name !== '') this.enter(name);
  }

  private step(step: Step, uploadId: string): void {
    this.root?.set({ 'archiver.upload_id': uploadId });
    this.enter(step);
  }

  private enter(name: string): void {
    this.part?.end();
    this.part = this.root && this.sink.begin(name, {}, this.root);
  }

  private chunk({ state, chunk, shard, rawBytes, storedBytes, packedBytes }: Event<'chunk'>): void {
    if (state === 'started') {
      const about = { 'archiver.chunk': chunk, 'archiver.shard': shard, 'archiver.raw_bytes': rawBytes };
      const span = this.sink.begin(this.isRestore ? 'unpack' : 'chunk', about, this.part ?? this.root);
      this.chunks.set(chunk, { span, pack: this.isRestore ? undefined : this.sink.begin('pack', about, span) });
      return;
    }
    const open = this.chunks.get(chunk);
    const stored = { 'archiver.stored_bytes': storedBytes };
    if (open === undefined) return;
    if (state === 'packed') {
      open.pack?.set(stored);
      open.pack?.end();
      return;
    }
    open.span.set({ ...stored, ...(packedBytes !== undefined && { 'archiver.packed_bytes': packedBytes }) });
    open.span.end();
    this.chunks.delete(chunk);
  }

  private end({ outcome }: Event<'end'>): void {
    this.root?.set({ 'archiver.outcome': outcome.status, 'archiver.skipped': this.skipped });
    this.close(outcome.status === 'failed' ? outcome.code : undefined);
  }

  /** Ends everything that is still open, with the failure of the operation. */
  private close(failure?: string): void {
    for (const { span, pack } of this.chunks.values()) {
      pack?.end(undefined, failure);
      span.end(undefined, failure);
    }
    this.chunks.clear();
    this.failed.clear();
    this.part?.end(undefined, failure);
    this.root?.end(undefined, failure);
    this.part = undefined;
    this.root = undefined;
    this.skipped = 0;
  }
}

const plannedOf = ({ items, bytes, chunks = 0 }: Event<'plan'>): Attributes => ({
  'archiver.planned_items': items,
  'archiver.planned_bytes': bytes,
  'archiver.planned_chunks': chunks,
});

/** Returns the bucket and prefix above the uploads; for a folder only that it is one. */
function storeName(url: string): string {
  if (!url.startsWith('s3://')) return 'file:';
  return url.replace(new RegExp(`/uploads/${UPLOAD_ID}(?:/.*)?$`, 's'), '');
}
