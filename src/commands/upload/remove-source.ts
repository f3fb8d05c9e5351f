// `upload --remove-source-after verify`: what was uploaded is read back from the store, and then removed from this computer.
import { realpathSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Context } from '../../cli/context.js';
import type { AfterUpload, UploadReport } from '../../cli/slots.js';
import type { UploadResult } from '../../core/archive/upload-result.js';
import type { RemovedSource } from '../../core/mend/remove-source/remove-source.js';
import {
  ArchiverError,
  cancelledError,
  errorText,
  isArchiverError,
  usageError,
} from '../../core/platform/failures/errors.js';
import { seenPathOf } from '../../core/archive/scan/united-source.js';
import { fsPath, pathBelow, printable, type RawPath, rawFromText, TOP } from '../../core/platform/paths/raw-path.js';
import { addCounts } from '../../core/store/request-count.js';
import { problemLines } from '../../screens/progress/problem-lines.js';
import { formatBytes, formatQuantity } from '../../ui/format.js';
import { lookOf } from '../../ui/look.js';
import { requireConfirmation } from '../kit/ask.js';
import { fetchGate } from '../kit/fetch-gate.js';
import { memoryLimit } from '../kit/memory-limit.js';
import { joinedReports } from '../kit/slots.js';
import { COLD } from './confirm-cold.js';
import type { RemoveValues } from './remove-flags.js';
import type { SourcesTarget } from './run-archive.js';
import type { Sources } from './sources.js';

const REQUESTS_AT_ONCE = 4;

interface RemovalValues extends RemoveValues {
  readonly storageClass: string;
  readonly autoTier: boolean;
  readonly tierMax: string | undefined;
  readonly objectLock: string | undefined;
  readonly yes: boolean;
}

/**
 * Returns the work after the upload with the removal last; `after` itself without the flag. Asks, since nobody may be there hours later.
 * @throws usage for what could not be removed or read back, and when the answer is no
 */
export async function withRemoval(
  after: AfterUpload | undefined,
  values: RemovalValues,
  target: SourcesTarget,
  context: Context<'upload'>,
): Promise<AfterUpload | undefined> {
  if (values.removeSourceAfter === undefined) return after;
  if (target.sources.objects !== undefined)
    throw usageError(
      '--remove-source-after removes files of this computer, and an s3:// SOURCE is only read',
      'leave it out',
    );
  const { loadLibc, noLibcReason } = await import('../../core/platform/libc/libc.js');
  const libc = loadLibc();
  if (libc === undefined)
    throw usageError(`--remove-source-after cannot remove safely on this computer: ${noLibcReason()}`, 'leave it out');
  const coldest = values.autoTier ? (values.tierMax ?? 'DEEP_ARCHIVE') : values.storageClass;
  if (COLD.has(coldest))
    throw usageError(
      `--remove-source-after reads everything back, and ${coldest} takes hours to be read`,
      'upload to another class, and let `archiver lifecycle` move it later',
    );
  const typed = values.receipt === undefined ? undefined : resolve(context.cwd, values.receipt);
  if (typed !== undefined) await refuseReceipt(typed);
  const names = target.sources.named.map(({ given }) => printable(given)).join(', ');
  if (!values.yes)
    await requireConfirmation(
      context,
      `What is in ${names} will be removed once it was uploaded and read back. Continue?`,
      'not uploaded',
    );
  const begunMs = context.now().getTime();
  return async (result, open, emit) => {
    const before = await after?.(result, open, emit);
    if (result.version === null) return before;
    const opened = await open(emit);
    let isBegun = false;
    try {
      const { removeSource } = await import('../../core/mend/remove-source/remove-source.js');
      const { root, skipTrees, named } = target.sources;
      const { uploadId, location, datasetId, version } = result;
      const file = typed ?? (await freeReceipt(join(context.home, 'receipts'), uploadId));
      const removed = await removeSource({
        libc,
        source: root,
        isScanned: result.measured.isScanned ?? (() => false),
        leaves: [...skipTrees, ...(typed === undefined ? [] : seenPathsOf(typed, target.sources))],
        begunMs,
        about: { location, datasetId, version, sources: named.map(({ real }) => printable(String(fsPath(real)))) },
        receipt: { file, isOwn: typed === undefined },
        mayFetch: fetchGate({ values, uploadId, opened, context }),
        reader: opened.store,
        uploadId,
        now: context.now,
        requestsAtOnce: REQUESTS_AT_ONCE,
        memoryLimitBytes: memoryLimit(context, 'reading content'),
        emit(event) {
          isBegun ||= event.type === 'phase' && event.phase === 'deleting';
          emit(event);
        },
        signal: context.signal,
      }).catch((error: unknown) => {
        throw isBegun ? error : explained(error, result, version, context.signal);
      });
      for (const text of removed.warnings) context.warn(text);
      if (values.objectLock === undefined) context.warn(prunedText(result, version, target.url));
      const requests = { ...result.requests };
      addCounts(requests, opened.requests);
      const { document, ...shown } = reportOf(removed, file, context);
      const report = { ...shown, document: { ...document, requests } };
      return joinedReports(before === undefined ? [report] : [before, report]);
    } finally {
      opened.close();
    }
  };
}

const prunedText = ({ datasetId }: UploadResult, version: number, url: string): string =>
  `version ${version} of dataset ${datasetId} may be all that there is of it now: archiver dataset tag ${printable(url)} ` +
  `originals v${version} --dataset-id ${datasetId} keeps prune from it`;

/** @throws usage for a file that is there already, or whose folder is not */
async function refuseReceipt(file: string): Promise<void> {
  const isThere = async (path: string): Promise<boolean> =>
    await access(path).then(
      () => true,
      () => false,
    );
  if (await isThere(file)) throw usageError(`the receipt ${printable(file)} is there already`, 'name another file');
  if (!(await isThere(dirname(file))))
    throw usageError(`the folder of the receipt ${printable(file)} is not there`, 'make it, or name another file');
}

/** The receipt as the scan would see it, if it is in a source. */
function seenPathsOf(receipt: string, { root, named }: Sources): readonly RawPath[] {
  const path = rawFromText(join(realpathSync(dirname(receipt)), basename(receipt)));
  return named.flatMap(({ real }) => (path.startsWith(pathBelow(real, TOP)) ? [seenPathOf(root, real, path)] : []));
}

/** A name that no receipt has: a version may be removed from several folders, or in several runs. */
async function freeReceipt(folder: string, uploadId: string): Promise<string> {
  for (let number = 1; ; number++) {
    const file = join(folder, `${uploadId}${number === 1 ? '' : `-${number}`}.json`);
    try {
      await access(file);
    } catch {
      return file; // it is created exclusively
    }
  }
}

/** Adds that the upload itself has succeeded. */
function explained(error: unknown, { location }: UploadResult, version: number, signal: AbortSignal): ArchiverError {
  const text = `version ${version} is committed (${printable(location)}), and nothing of the source was removed`;
  if (signal.aborted) return cancelledError(`stopped: ${text}; the same with --incremental goes on from there`);
  const { exitCode = 1, hint, code = 'internal' } = isArchiverError(error) ? error : {};
  return new ArchiverError(code, `${text}: ${errorText(error)}`, { cause: error, exitCode, hint });
}

function reportOf(removed: RemovedSource, file: string, context: Context<'upload'>): UploadReport {
  const { files, folders, bytes, kept, leftOut } = removed;
  const look = lookOf(context.colors.stdout, context.env);
  const count = `${formatQuantity(files, 'file')}, ${formatBytes(bytes)}, and ${formatQuantity(folders, 'folder')}`;
  return {
    document: {
      removedSource: { files, directories: folders, bytes, failed: kept, keptCount: leftOut },
      receiptFile: file,
    },
    lines: [
      `  removed   ${count}: read back from the store, and the same as here`,
      ...(leftOut === 0 ? [] : [`  left      ${formatQuantity(leftOut, 'path')} that the upload left out`]),
      `  receipt   ${printable(file)}`,
      ...problemLines('stays   ', kept, look),
    ],
    isPartial: kept.length > 0,
  };
}
