// Runs `restore` and `download`, which share one engine, from their flags to the restored files.
import type {
  Clock,
  Environment,
  MemoryLimit,
  Messages,
  Places,
  Results,
  ResultsOf,
  Terminal,
  Verbosity,
} from '../../cli/context.js';
import type { ProgressContext, ProgressFormat } from '../../cli/progress.js';
import type { EventSink } from '../../core/events/events.js';
import { ArchiverError } from '../../core/platform/failures/errors.js';
import type { Failure } from '../../core/platform/failures/failure-list.js';
import { NOT_HERE, NothingSelected } from '../../core/format/manifest/nothing-selected.js';
import type { ObjectReader } from '../../core/store/object-store.js';
import type { Exact } from '../../json/documents.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import type { UploadLocation } from '../../core/store/store-url.js';
import type { RestoreOptions, RestoreResult } from '../../core/restore/restore.js';
import { recordRunFacts, recordRunResult } from './account.js';
import { otherVersionsClause, otherVersionsText, findInOtherVersions } from './other-versions.js';
import { invalidatingChecks } from './invalidate-checks.js';
import { restoreCommand } from './restore-command.js';
import type { Restored } from './restore-result.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { formatQuantity } from '../../ui/format.js';
import { stopwatch, warnOf, withResult } from './run.js';
import { type StoreCall, type StoreContext, type StoreValues, withStore } from './store.js';
import { type FoundUpload, uploadUrl } from './upload-target.js';
import { memoryLimit } from './memory-limit.js';
import type { ExpectedDigests } from '../../core/dataset/records/assert-expected.js';
import { versionName, versionNumber } from '../../core/dataset/records/version-name.js';

export type RestoreContext<P extends string> = Results<P> & Restoring;

type Restoring = Messages &
  Clock &
  MemoryLimit &
  Places &
  Environment &
  Verbosity &
  Pick<Terminal, 'colors'> &
  StoreContext &
  ProgressContext;

interface WriteValues extends StoreValues {
  readonly workers: number;
  readonly overwrite: RestoreOptions['overwrite'];
  readonly flatten: boolean;
  readonly verify: boolean;
  readonly keepSpecialBits: boolean;
  readonly dryRun: boolean;
  readonly progressFormat: ProgressFormat | undefined;
}

type EngineOptions = Omit<RestoreOptions, 'reader' | 'mayFetch'>;

interface Fetched<M> {
  readonly result: RestoreResult;
  /** Keys that the command adds to the document; below, lines of a dry run, and a text and status that replace the usual ones. */
  readonly more: M;
  readonly planned?: readonly string[];
  readonly text?: string;
  readonly status?: number;
}

export interface RestoreCall<M> extends Pick<RestoreOptions, 'operation' | 'outputDir' | 'selectors' | 'fillsCache'> {
  readonly target: UploadLocation & Pick<StoreCall, 'session'> & Partial<Pick<FoundUpload, 'version' | 'isNewest'>>;
  readonly manifestSha256?: ExpectedDigests | undefined;
  /** Called once the store is open. */
  readonly openCache: () => Promise<RestoreOptions['cache']>;
  /** Runs the engine that gets the files. */
  readonly fetch: (options: EngineOptions, opened: OpenedStore) => Promise<Fetched<M>>;
}

/** Restores and prints the result; returns the exit status. `documentOf` makes the document from the keys of every restore and `more`. */
export async function restoreFiles<F extends object, M, D extends F>(
  values: WriteValues,
  call: RestoreCall<M>,
  context: ResultsOf<F> & Restoring,
  documentOf: (restored: Restored, more: M) => Exact<D, F>,
): Promise<number> {
  const { restoredDocument, resultText, statusOf } = await import('./restore-result.js');
  const { target, openCache, fetch, ...chosen } = call;
  const elapsed = stopwatch(context);
  const requestsAtOnce = values.workers;
  const { baseUrl, session } = target;
  const work = (emit: EventSink) =>
    withStore({ baseUrl, session, values, context, requestsAtOnce, onEvent: emit }, async (opened) => {
      const options: EngineOptions = {
        ...chosen,
        uploadId: target.uploadId,
        manifestSha256: call.manifestSha256,
        overwrite: values.overwrite,
        flatten: values.flatten,
        verifyFiles: values.verify,
        keepSpecialBits: values.keepSpecialBits,
        dryRun: values.dryRun,
        requestsAtOnce,
        memoryLimitBytes: memoryLimit(context, 'reading content'),
        cache: await openCache(),
        emit,
        signal: context.signal,
      };
      if (!values.dryRun) {
        const { uploadId } = target;
        recordRunFacts(context, { operation: call.operation, uploadId, datasetId: target.version?.datasetId });
      }
      const asking: OpenedCall = { call, values, reader: opened.store, context };
      try {
        const fetched = await invalidatingChecks(context, isSound, () => fetch(options, opened));
        const result = await withElsewhere(fetched.result, asking);
        const { files, bytes } = result;
        if (fetched.status === undefined) recordRunResult(context, { files, bytes });
        const isEmpty = files + result.unchanged + result.skipped + result.failed.length === 0;
        const isWhole = call.selectors.part === undefined;
        const hidden = isEmpty && isWhole && fetched.status === undefined ? await hiddenContent(asking) : undefined;
        if (hidden === undefined) return { ...fetched, result, isDoubtful: false, requests: opened.requests };
        const told = { ...result, warnings: [hidden, ...result.warnings] };
        return { ...fetched, result: told, status: 3, isDoubtful: true, requests: opened.requests };
      } catch (error) {
        throw await withHint(error, asking);
      }
    });
  const { result, status } = await withResult<F, Awaited<ReturnType<typeof work>>, D>(context, values, {
    work,
    show: ({ result, requests, more, planned, text, isDoubtful }) => {
      const durationMs = elapsed();
      return {
        document: documentOf(restoredDocument(result, { target, durationMs, requests }), more),
        // Chunks were requested, and paid for: the user has to come back for them.
        isResult: text !== undefined,
        text: () => text ?? resultText(result, call, { durationMs, context, planned: planned ?? [], isDoubtful }),
      };
    },
  });
  warnOf(result.warnings, context);
  return status ?? statusOf(result);
}

const isSound = ({ result, status }: Fetched<unknown>): boolean => result.failed.length === 0 && status !== 3;

interface OpenedCall {
  readonly call: RestoreCall<unknown>;
  readonly values: WriteValues;
  readonly reader: ObjectReader;
  readonly context: Restoring;
}

/**
 * Warns of an empty newest version that may hide one with content: it may be forged, or of a folder that was not mounted. Returns a
 * sentence.
 */
async function hiddenContent({ call, reader, context }: OpenedCall): Promise<string | undefined> {
  const { version, isNewest, baseUrl } = call.target;
  if (version === undefined || isNewest !== true) return undefined;
  const { contentBefore } = await import('../../core/dataset/records/doubts.js');
  const before = await contentBefore(reader, version, context.signal);
  if (before === undefined) return undefined;
  const { datasetId } = version;
  const name = printable(datasetId);
  return (
    `${versionName(version)} of ${name} is empty, and ${versionName(before)} has ${formatQuantity(before.totals.files, 'file')}: ` +
    `--version ${versionNumber(before)} restores that, and \`archiver dataset versions ${printable(baseUrl)} --dataset-id ${name}\` shows all`
  );
}

/** Returns the error with a note where else the paths are, and a hint what to type next. */
async function withHint(error: unknown, { call, values, reader, context }: OpenedCall): Promise<unknown> {
  if (!(error instanceof NothingSelected)) return error;
  const { selectors, target, outputDir } = call;
  const found = await findInOtherVersions(reader, { ...target, selectors }, error.unmatched, context);
  const [newest] = found;
  const hint =
    newest === undefined
      ? `archiver list ${uploadUrl(target)}`
      : restoreCommand({ location: target.baseUrl, outputDir, files: newest.paths, version: newest });
  const message = `${values.dryRun ? 'nothing to restore: ' : ''}${error.message}${otherVersionsText(found)}`;
  return new ArchiverError('not-found', message, { cause: error, hint });
}

/** Adds to each missing path of the result where else it is. */
async function withElsewhere(result: RestoreResult, { call, reader, context }: OpenedCall): Promise<RestoreResult> {
  const isMissing = ({ reason }: Failure): boolean => reason === NOT_HERE;
  const missing = result.failed.filter(isMissing);
  const found = await findInOtherVersions(reader, { ...call.target, selectors: call.selectors }, missing, context);
  if (found.length === 0) return result;
  const failed = result.failed.map((one) =>
    isMissing(one) ? { ...one, reason: `${NOT_HERE}${otherVersionsClause(found, one.path)}` } : one,
  );
  return { ...result, failed };
}
