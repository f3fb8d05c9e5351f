// Metrics of a running run: events, requests and reports of commands, for Prometheus. Nothing is computed until they are scraped.
// docs/metrics.md lists them all; labels have few values. Metrics of ended runs and fleets are the same as in textfiles, under the same
// names.
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Phase } from '../../events/events.js';
import { metricsWith } from '../../notify/metrics-file.js';
import type { EndedRun, NotedRun } from '../../events/run-facts.js';
import { byType, type Event } from './by-type.js';
import type { BudgetUse, MetricsBook, StoreRequest } from '../../events/observer.js';

/** Buckets for requests and chunks: a LIST in a folder takes a millisecond, a chunk over a slow connection minutes. */
const SECONDS = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300];
/** Gauges of prom-client that are named like counters. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

export class RunMetrics implements MetricsBook {
  private readonly registry = new Registry();
  private readonly counts = counters(this.registry);
  private readonly gauges = gaugesOf(this.registry);
  private readonly times = histograms(this.registry);
  private operation = '';
  private phase: Phase | undefined;
  private phaseSinceMs = 0;
  private readonly begun = new Map<number, number>();
  /** Totals of the current operation that are already counted. */
  private readonly seen = new Map<string, number>();
  private runs = '';
  private fleet = '';

  constructor(
    version: string,
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    collectDefaultMetrics({ register: this.registry });
    for (const name of MISNAMED) this.registry.removeSingleMetric(name);
    this.gauges.build.set({ version }, 1);
  }

  /** Returns all metrics in the text format. */
  async text(): Promise<string> {
    this.countPhase();
    const text = await this.registry.metrics();
    // The client writes NaN in a form that the format does not have.
    return `${text.replaceAll(/ Nan$/gm, ' NaN')}${this.runs}${this.fleet}`;
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  readonly take = byType({
    start: ({ operation }) => {
      this.operation = operation;
      this.seen.clear();
      this.begun.clear();
    },
    phase: ({ phase }) => this.enter(phase),
    scan: ({ items, bytes }) => {
      this.add('items', this.counts.scannedItems, items);
      this.add('scanned', this.counts.scannedBytes, bytes);
    },
    plan: ({ items, bytes, chunks = 0 }) => {
      this.gauges.plannedItems.set(items);
      this.gauges.plannedBytes.set(bytes);
      this.gauges.plannedChunks.set(chunks);
      this.forget();
    },
    progress: ({ items, bytes }) => {
      this.add('done', this.counts.doneItems, items);
      this.add('bytes', this.counts.doneBytes, bytes);
    },
    sent: ({ storedBytes }) => this.add('sent', this.counts.sentBytes, storedBytes),
    chunk: (event) => this.chunk(event),
    retry: ({ service, trouble, waitMs }) => {
      this.counts.retries.inc({ service, trouble });
      this.counts.retryWaits.inc(waitMs / 1000);
    },
    skip: () => this.counts.skipped.inc(),
    thaw: ({ chunks }) => {
      this.gauges.cold.reset();
      for (const state of chunks) this.gauges.cold.inc({ state });
    },
    end: (event) => this.end(event),
  });

  /** Takes the end of a request; undefined where none was sent. */
  readonly onRequest = (ended: StoreRequest | undefined): void => {
    if (ended === undefined) return;
    const { kind, storageClass, bytes, durationMs, code = 'ok' } = ended;
    this.counts.requests.inc({ kind, storage_class: storageClass, code });
    this.times.request.observe({ kind }, durationMs / 1000);
    if (code !== 'ok' || bytes === 0) return;
    if (kind === 'put') this.counts.written.inc({ storage_class: storageClass }, bytes);
    if (kind === 'get') this.counts.read.inc({ storage_class: storageClass }, bytes);
  };

  readonly runEnded = (run: NotedRun, ended: EndedRun): void => {
    this.counts.runs.inc({ command: run.command, status: ended.status });
    this.runs = metricsWith(this.runs, run, ended);
  };

  fleetSeen(isSeen: boolean, text: string): void {
    this.counts.passes.inc({ result: isSeen ? 'seen' : 'unseen' });
    this.fleet = text;
  }

  budgets(uses: readonly BudgetUse[]): void {
    this.gauges.budget.reset();
    for (const { project, limit, used } of uses)
      this.gauges.budget.set(project === null ? { limit } : { limit, project }, used);
  }

  private chunk({ state, chunk, rawBytes, storedBytes }: Event<'chunk'>): void {
    const { counts, gauges, begun } = this;
    if (state === 'started') begun.set(chunk, this.nowMs());
    if (state === 'finished') {
      this.times.chunk.observe((this.nowMs() - (begun.get(chunk) ?? this.nowMs())) / 1000);
      begun.delete(chunk);
      counts.chunks.inc();
      counts.rawBytes.inc(rawBytes);
      counts.storedBytes.inc(storedBytes);
    }
    gauges.inFlight.set(begun.size);
  }

  private end({ outcome }: Event<'end'>): void {
    this.countPhase();
    this.phase = undefined;
    this.gauges.phase.reset();
    this.begun.clear();
    this.gauges.inFlight.set(0);
    this.counts.operations.inc({ operation: this.operation, outcome: outcome.status });
    if (outcome.status === 'failed') this.counts.errors.inc({ operation: this.operation, code: outcome.code });
  }

  private enter(phase: Phase): void {
    this.countPhase();
    this.phase = phase;
    const { operation } = this;
    this.gauges.phase.reset();
    this.gauges.phase.set({ operation, phase }, 1);
    this.forget();
  }

  private countPhase(): void {
    const { operation, phase } = this;
    const now = this.nowMs();
    if (phase !== undefined) this.counts.phases.inc({ operation, phase }, (now - this.phaseSinceMs) / 1000);
    this.phaseSinceMs = now;
  }

  /** Forgets totals that restart at zero with each plan, and with each round of a transfer. */
  private forget(): void {
    for (const name of ['done', 'bytes', 'sent']) this.seen.delete(name);
  }

  private add(name: string, counter: Counter, total: number): void {
    counter.inc(Math.max(0, total - (this.seen.get(name) ?? 0)));
    this.seen.set(name, total);
  }
}

const counters = (registry: Registry) => {
  const counter = <const L extends string = never>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Counter({ name: `archiver_${name}_total`, help, labelNames, registers: [registry] });
  return {
    operations: counter('operations', 'Operations that ended.', ['operation', 'outcome']),
    errors: counter('errors', 'Operations that failed, by the kind of failure.', ['operation', 'code']),
    phases: counter('phase_seconds', 'Time spent in each phase of operations.', ['operation', 'phase']),
    scannedItems: counter('scanned_items', 'Files and folders, or objects, that were found.'),
    scannedBytes: counter('scanned_bytes', 'Bytes of what was found.'),
    doneItems: counter('processed_items', 'What was read by an upload, written by a restore, or looked at.'),
    doneBytes: counter('processed_bytes', 'Bytes of content that were read by an upload or written by a restore.'),
    sentBytes: counter('sent_bytes', 'Bytes of chunks that went over the wire, repetitions included.'),
    chunks: counter('chunks', 'Chunks that were sent and acknowledged, or fetched.'),
    rawBytes: counter('chunk_raw_bytes', 'Bytes of content in these chunks.'),
    storedBytes: counter(
      'chunk_stored_bytes',
      'Bytes that these chunks take in the store, or that were fetched of them.',
    ),
    skipped: counter(
      'skipped_items',
      'Files that were left out because they could not be read or written, or that changed while they were read.',
    ),
    retries: counter('retries', 'Requests that were sent again.', ['service', 'trouble']),
    retryWaits: counter('retry_wait_seconds', 'Time that was waited before requests were sent again.'),
    requests: counter('requests', 'Requests, each attempt one; code is ok or the kind of failure.', [
      'kind',
      'storage_class',
      'code',
    ]),
    written: counter('written_bytes', 'Bytes of objects that the store has acknowledged.', ['storage_class']),
    read: counter('read_bytes', 'Bytes that were fetched from the store.', ['storage_class']),
    runs: counter('runs', 'Uploads and syncs that ended, and cycles of an agent.', ['command', 'status']),
    passes: counter('monitor_passes', 'Looks at the fleet.', ['result']),
  };
};

const gaugesOf = (registry: Registry) => {
  const gauge = <const L extends string = never>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Gauge({ name: `archiver_${name}`, help, labelNames, registers: [registry] });
  return {
    build: gauge('build_info', '1, with the version of the program.', ['version']),
    phase: gauge('phase', '1 for the phase that the operation is in.', ['operation', 'phase']),
    plannedItems: gauge('planned_items', 'Files that the present operation is to process.'),
    plannedBytes: gauge('planned_bytes', 'Bytes of content that the present operation is to process.'),
    plannedChunks: gauge('planned_chunks', 'Chunks that the present operation is to send or fetch.'),
    inFlight: gauge('chunks_in_flight', 'Chunks that are being packed, sent, fetched or unpacked.'),
    cold: gauge('cold_chunks', 'Chunks that a restore from cold storage needs, by their state.', ['state']),
    budget: gauge('budget_used_ratio', 'Used part of a limit; without a project that of all projects.', [
      'project',
      'limit',
    ]),
  };
};

const histograms = (registry: Registry) => ({
  request: new Histogram({
    name: 'archiver_request_duration_seconds',
    help: 'Time from the beginning of a request to its answer, of a GET to its last byte.',
    labelNames: ['kind'],
    buckets: SECONDS,
    registers: [registry],
  }),
  chunk: new Histogram({
    name: 'archiver_chunk_duration_seconds',
    help: 'Time from the beginning of a chunk to its end: read, packed and sent, or fetched and handed over.',
    buckets: SECONDS,
    registers: [registry],
  }),
});
