// Converts events and requests of operations to spans: an operation is a trace, its parts follow each other, and chunks and requests are
// nested in them. Independent of OpenTelemetry. Spans never contain the name of a file or folder, or error messages, which may contain one
// (docs/decisions/054).
import type { Phase, Step } from '../../events/events.js';
import { UPLOAD_ID } from '../../store/ids/upload-id.js';
import { byType, type Event } from './by-type.js';
import { nowMs } from '../../store/http-exchange.js';
import { type Attributes, NestedSpan, type SpanSink } from './nested-span.js';
import type { BegunRequest, HttpExchange, StoreRequest } from '../../events/observer.js';

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
  [new RegExp(`(?:^|/)uploads/${UPLOAD_ID}/manifest/`), 'segment'],
  [new RegExp(`(?:^|/)uploads/${UPLOAD_ID}/files/`), 'file'],
  [/(?:^|\/)datasets\//, 'record'],
];
/** Limit of failed objects whose attempts are counted at the same time. */
const MOST_TRIED = 1000;

interface OpenChunk {
  readonly span: NestedSpan;
  /** Set only for an upload. */
  readonly pack: NestedSpan | undefined;
}

export class OperationSpans {
  private root: NestedSpan | undefined;
  private part: NestedSpan | undefined;
  private isRestore = false;
  private skipped = 0;
  private readonly chunks = new Map<number, OpenChunk>();
  private readonly failed = new Map<string, number>();
  private readonly requests = new Set<NestedSpan>();

  /** `now`: ms since 1970, by the clock that requests are timed with. */
  constructor(
    private readonly sink: SpanSink,
    private readonly about: Attributes,
    private readonly now: () => number = nowMs,
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

  /** Takes a request that begins; it lies in what is going on then. Returns what takes its end. */
  readonly onRequest = ({ kind, key = '', bucket, startedMs: atMs }: BegunRequest) => {
    if (this.root === undefined) return () => undefined;
    const role = ROLES.find(([pattern]) => pattern.test(key))?.[1];
    const chunk = Number(CHUNK.exec(key)?.[1] ?? -1);
    const parent = (role === 'chunk' ? this.chunks.get(chunk)?.span : undefined) ?? this.part ?? this.root;
    const about = {
      ...(bucket !== undefined && { 'aws.s3.bucket': bucket }),
      ...(role !== undefined && { 'archiver.object': role }),
      ...(role === 'chunk' && { 'archiver.chunk': chunk }),
    };
    const isClient = bucket !== undefined || kind === 'kms';
    const span = new NestedSpan(this.sink, kind, about, { parent, atMs, isClient });
    this.requests.add(span);
    return (ended: StoreRequest | undefined): void => {
      // One that outlives its operation was ended with it.
      if (!this.requests.delete(span)) return;
      if (ended === undefined) return span.drop();
      const { storageClass, bytes, durationMs, code, http } = ended;
      span.set({
        'archiver.storage_class': storageClass,
        'archiver.bytes': bytes,
        ...(key !== '' && { 'archiver.attempt': this.attemptOf(`${kind} ${key}`, code !== undefined) }),
        ...(http && exchanged(http)),
      });
      span.end(atMs + durationMs, code);
    };
  };

  private start({ operation, source, target }: Event<'start'>): void {
    this.close();
    this.isRestore = operation === 'restore' || operation === 'download';
    const store = storeName(this.isRestore ? source : target);
    this.root = this.begin(operation, { ...this.about, 'archiver.store': store });
  }

  private begin(name: string, about: Attributes, parent?: NestedSpan): NestedSpan {
    return new NestedSpan(this.sink, name, about, { parent, atMs: this.now() });
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
    this.part?.end(this.now());
    this.part = this.root && this.begin(name, {}, this.root);
  }

  private chunk({ state, chunk, shard, rawBytes, storedBytes, packedBytes }: Event<'chunk'>): void {
    const open = this.chunks.get(chunk);
    const stored = { 'archiver.stored_bytes': storedBytes };
    if (state === 'started') {
      endChunk(open, this.now());
      const about = { 'archiver.chunk': chunk, 'archiver.shard': shard, 'archiver.raw_bytes': rawBytes };
      const span = this.begin(this.isRestore ? 'unpack' : 'chunk', about, this.part ?? this.root);
      this.chunks.set(chunk, { span, pack: this.isRestore ? undefined : this.begin('pack', about, span) });
    } else if (state === 'packed') {
      open?.pack?.set(stored);
      open?.pack?.end(this.now());
    } else {
      open?.span.set({ ...stored, ...(packedBytes !== undefined && { 'archiver.packed_bytes': packedBytes }) });
      endChunk(open, this.now());
      this.chunks.delete(chunk);
    }
  }

  private end({ outcome }: Event<'end'>): void {
    this.root?.set({ 'archiver.outcome': outcome.status, 'archiver.skipped': this.skipped });
    this.close(outcome.status === 'failed' ? outcome.code : undefined);
  }

  /** Ends everything that is still open, with the failure of the operation. */
  private close(failure?: string): void {
    const atMs = this.now();
    for (const request of this.requests) {
      request.set({ 'archiver.unfinished': true });
      request.end(atMs);
    }
    this.requests.clear();
    for (const open of this.chunks.values()) endChunk(open, atMs, failure);
    this.chunks.clear();
    this.failed.clear();
    this.part?.end(atMs, failure);
    this.root?.end(atMs, failure);
    this.part = undefined;
    this.root = undefined;
    this.skipped = 0;
  }
}

function endChunk(open: OpenChunk | undefined, atMs: number, failure?: string): void {
  open?.pack?.end(atMs, failure);
  open?.span.end(atMs, failure);
}

/** Returns attributes by the conventions for HTTP clients. The URL, which they have as well, names files. */
const exchanged = ({ method, host, port, status }: HttpExchange): Attributes => ({
  'http.request.method': method,
  'server.address': host,
  'server.port': port,
  ...(status !== undefined && { 'http.response.status_code': status }),
});

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
