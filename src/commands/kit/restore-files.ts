// The way from the flags of `restore` and `download` to the files: both are faces of one engine.
import { resolve } from 'node:path';
import type { Clock, Environment, MemoryLimit, Messages, Places, Results, Terminal } from '../../cli/context.js';
import type { ProgressContext, ProgressFormat } from '../../cli/progress.js';
import type { EventSink } from '../../core/events.js';
import { ArchiverError, usageError } from '../../core/failures/errors.js';
import type { OpenedStore } from '../../core/object-store/open-store.js';
import type { UploadLocation } from '../../core/object-store/store-url.js';
import { printable } from '../../core/paths/raw-path.js';
import type { RestoreOptions, RestoreResult } from '../../core/restore/restore.js';
import { stopwatch, warnOf, withResult } from './run.js';
import { type StoreContext, type StoreValues, withStore } from './store.js';
import { uploadUrl, urlAndFolder } from './upload-target.js';

export type RestoreContext = Results &
  Messages &
  Clock &
  MemoryLimit &
  Places &
  Environment &
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

interface Fetched {
  readonly result: RestoreResult;
  /** What a command adds: keys of the document, lines of a dry run, and text and status instead of the usual ones. */
  readonly document?: Readonly<Record<string, unknown>>;
  readonly planned?: readonly string[];
  readonly text?: string;
  readonly status?: number;
}

export interface RestoreCall extends Pick<RestoreOptions, 'operation' | 'outputDir' | 'selectors' | 'fillsCache'> {
  readonly target: UploadLocation;
  readonly manifestSha256?: readonly string[];
  /** Opened when the store is. */
  readonly openCache: () => Promise<RestoreOptions['cache']>;
  /** The engine that gets the files. */
  readonly fetch: (options: EngineOptions, opened: OpenedStore) => Promise<Fetched>;
}

/** Restores and prints the result; returns the exit status. `about`: keys that lead the document. */
export async function restoreFiles(
  values: WriteValues,
  call: RestoreCall,
  context: RestoreContext,
  about: Readonly<Record<string, unknown>> = {},
): Promise<number> {
  const { resultDocument, resultText, statusOf } = await import('./restore-result.js');
  const { target, openCache, fetch, ...chosen } = call;
  const elapsed = stopwatch(context);
  const requestsAtOnce = values.workers;
  const work = (emit: EventSink) =>
    withStore({ baseUrl: target.baseUrl, values, context, requestsAtOnce, onEvent: emit }, async (opened) => {
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
        memoryLimitBytes: context.memoryLimitBytes,
        cache: await openCache(),
        emit,
        signal: context.signal,
      };
      const fetched = await fetch(options, opened);
      refuseNothing(fetched.result, call, values);
      return { ...fetched, requests: opened.requests };
    });
  const { result, status } = await withResult(context, values, {
    work,
    show: ({ result, requests, document, planned, text }) => {
      const durationMs = elapsed();
      return {
        document: {
          ...resultDocument(result),
          ...about,
          location: uploadUrl(target),
          durationMs,
          requests,
          ...document,
        },
        // Chunks were requested, and paid for: somebody has to come back for them.
        isNews: text !== undefined,
        text: () => text ?? resultText(result, call, { durationMs, requests, context, planned: planned ?? [] }),
      };
    },
  });
  warnOf(result.warnings, context);
  return status ?? statusOf(result);
}

/** Files that are not there are a mistake in the call, and not an empty success. @throws not-found */
function refuseNothing(
  result: RestoreResult,
  { selectors, target }: RestoreCall,
  { dryRun }: { readonly dryRun: boolean },
): void {
  const found = result.files + result.directories + result.unchanged + result.skipped;
  const isMissing = ({ reason }: { readonly reason: string }): boolean => reason === 'not in this upload';
  if (selectors.all === true || found > 0 || !result.failed.every(isMissing)) return;
  const named = result.failed.map(({ path }) => printable(path));
  const what =
    named.length === 0
      ? 'no file matches'
      : `${named.slice(0, 10).join(', ')}${named.length > 10 ? ' and others' : ''}: not in this upload`;
  throw new ArchiverError('not-found', dryRun ? `nothing to restore: ${what}` : what, {
    hint: `archiver list ${uploadUrl(target)}`,
  });
}

/** The arguments of a restore: where from, and the absolute folder to write to. @throws usage when one is missing */
export function restoreArguments(
  values: { readonly bucket: string | undefined },
  positional: readonly [url: string | undefined, outputDir: string | undefined],
  { cwd }: Pick<Places, 'cwd'>,
): { readonly url: string | undefined; readonly outputDir: string } {
  const [url, outputDir] = urlAndFolder(values, positional);
  if (outputDir === undefined)
    throw usageError(url === undefined ? 'S3_URL and OUTPUT_DIR are missing' : 'OUTPUT_DIR is missing');
  return { url, outputDir: resolve(cwd, outputDir) };
}
