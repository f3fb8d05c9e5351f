// Restores that are started on the browse screen. Each leaves lines to print after the screen is closed, and contributes to the exit status
// as `archiver restore` would.
import type { Context } from '../../cli/context.js';
import { DIGESTS_OF_RECORD } from '../../core/dataset/records/assert-expected.js';
import type { EventSink } from '../../core/events/events.js';
import type { RequestCounts } from '../../core/store/object-store.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import type { FrameCache } from '../../core/restore/frame-cache.js';
import { isLost, retrievalDocument } from '../../core/restore/retrieval-document.js';
import type { RestoreRequest } from '../../stores/browse/actions.js';
import type { BrowseValues } from './flags.js';
import { recordRunFacts, recordRunResult } from '../kit/account.js';
import { invalidatingChecks } from '../kit/invalidate-checks.js';
import { retrieveWithJob, type Retrieved } from '../kit/retrieve-with-job.js';
import { requestedText } from '../kit/cost-lines.js';
import { uploadUrl } from '../kit/upload-target.js';
import { retrievalGate } from '../kit/slots.js';
import { resultText, statusOf } from '../kit/restore-result.js';
import { memoryLimit } from '../kit/memory-limit.js';

interface OnScreen<T> {
  readonly take: EventSink;
  readonly signal: AbortSignal;
  readonly documentOf?: (result: T) => unknown;
}

/** Runs an operation; `take` gets all its events up to the last, including those of the store. */
export type RunOnScreen = <T>(how: OnScreen<T>, run: (emit: EventSink) => Promise<T>) => Promise<T>;

export interface BrowseRestoresOptions {
  readonly values: BrowseValues;
  readonly context: Context;
  readonly opened: OpenedStore;
  readonly runOnScreen: RunOnScreen;
  readonly cache: FrameCache;
  /** Absolute path. */
  readonly outputDir: string;
}

const REQUESTS_AT_ONCE = 4;
const SHOWN_WARNINGS = 10;

interface Restored {
  readonly document: unknown;
  readonly text: string;
}

export class BrowseRestores {
  private readonly texts: string[] = [];
  private files = 0;
  private bytes = 0;
  private running: Promise<unknown> = Promise.resolve();
  private status = 0;
  private failure: { readonly error: unknown } | undefined;

  constructor(private readonly options: BrowseRestoresOptions) {}

  /** Restores the chosen files; returns the lines to show. @throws what ends a restore */
  async run(request: RestoreRequest, take: EventSink, signal: AbortSignal): Promise<readonly string[]> {
    const restoring = this.options.runOnScreen(
      { take, signal, documentOf: ({ document }: Restored) => document },
      (emit) => this.restore(request, emit, signal),
    );
    this.running = restoring.catch(() => undefined);
    try {
      const { text } = await restoring;
      this.failure = undefined;
      this.texts.push(text);
      return text.trimEnd().split('\n');
    } catch (error) {
      this.failure = { error };
      throw error;
    }
  }

  /** Prints the results of the restores once the last one has ended; returns the exit status. @throws what ended the last one */
  async finish(): Promise<number> {
    await this.running;
    const { context } = this.options;
    context.result(undefined, () => this.texts.join(''));
    // The error of an interrupted restore says more than the interruption itself.
    if (this.failure !== undefined) throw this.failure.error;
    context.signal.throwIfAborted();
    return this.status;
  }

  private async restore(
    { opened: listed, selectors, tier }: RestoreRequest,
    emit: EventSink,
    signal: AbortSignal,
  ): Promise<Restored> {
    const { values, context, opened, cache, outputDir } = this.options;
    const startedAtMs = context.now().getTime();
    const before = { ...opened.requests };
    const { uploadId, baseUrl, version } = listed;
    const target = { baseUrl, uploadId };
    recordRunFacts(context, { operation: 'restore', uploadId, datasetId: version?.datasetId });
    const retrieved = await invalidatingChecks(context, isSound, () =>
      retrieveWithJob(
        {
          operation: 'restore',
          uploadId,
          manifestSha256: version?.manifestSha256 ?? DIGESTS_OF_RECORD,
          outputDir,
          selectors,
          overwrite: 'if-changed',
          flatten: false,
          verifyFiles: true,
          keepSpecialBits: false,
          dryRun: false,
          requestsAtOnce: REQUESTS_AT_ONCE,
          memoryLimitBytes: memoryLimit(context, 'reading content'),
          cache,
          fillsCache: selectors.all !== true,
          emit,
          signal,
        },
        {
          values: { ...values, tier, pollInterval: undefined },
          context,
          opened,
          target,
          version,
          retrievalGate: retrievalGate({ ...values }, uploadId, context),
        },
      ),
    );
    const durationMs = context.now().getTime() - startedAtMs;
    const requests = sinceThen(opened.requests, before);
    const { retrieval, jobId } = retrieved;
    this.files += retrieval.kind === 'restored' ? retrieval.result.files : 0;
    this.bytes += retrieval.kind === 'restored' ? retrieval.result.bytes : 0;
    recordRunResult(context, { files: this.files, bytes: this.bytes });
    const about = { location: uploadUrl(target), durationMs, requests };
    const document = { ...retrieval.result, ...about, ...retrievalDocument(retrieval, jobId) };
    return { document, text: this.textOf(retrieved, { durationMs, tier }) };
  }

  private textOf({ retrieval, jobId }: Retrieved, { durationMs, tier }: { durationMs: number; tier: string }): string {
    const { context, values } = this.options;
    if (retrieval.kind === 'requested') {
      this.add(retrieval.chunks.some(isLost) ? 3 : 0);
      return requestedText(retrieval, { tier, restoreDays: values.restoreDays }, jobId ?? '');
    }
    this.add(statusOf(retrieval.result));
    const shown = { durationMs, context, planned: [] };
    const warnings = retrieval.result.warnings.slice(0, SHOWN_WARNINGS).map((text) => `! ${printable(text)}\n`);
    return resultText(retrieval.result, { operation: 'restore' }, shown) + warnings.join('');
  }

  private add(status: number): void {
    if (status !== 0) this.status = status;
  }
}

const isSound = ({ retrieval }: Retrieved): boolean =>
  retrieval.result.failed.length === 0 && (retrieval.kind === 'restored' || !retrieval.chunks.some(isLost));

/** Subtracts the requests that were made before this restore. */
const sinceThen = (now: RequestCounts, before: RequestCounts): RequestCounts => ({
  put: now.put - before.put,
  get: now.get - before.get,
  list: now.list - before.list,
  head: now.head - before.head,
  delete: now.delete - before.delete,
  copy: now.copy - before.copy,
  other: now.other - before.other,
});
