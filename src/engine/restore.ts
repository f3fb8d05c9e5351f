// Restores files of a version.
import type { ChosenUpload } from '../core/dataset/find-upload.js';
import { contentBefore } from '../core/dataset/records/doubts.js';
import { type VersionName, versionName } from '../core/dataset/records/version-name.js';
import { defined } from '../core/platform/defined.js';
import { throwIfCancelled } from '../core/store/store-error.js';
import { retrievalDocument } from '../core/restore/retrieval-document.js';
import { type ColdOptions as CoreCold, type Retrieval, retrieve } from '../core/restore/retrieve.js';
import { defaultPollMs } from '../core/restore/thaw/wait.js';
import { counted } from '../core/platform/text/counted.js';
import { chosenUpload, selectorsOf } from './choice.js';
import type { CallOptions, FileChoice, Store, VersionChoice } from './options.js';
import { absolute, call, type Call, checkMemoryLimit, oneOf } from './session.js';

/** Options for chunks in cold storage, which must be requested before they can be read. */
export interface ColdOptions {
  /** Retrieval tier; `standard` when not given. */
  readonly tier?: 'expedited' | 'standard' | 'bulk' | undefined;
  /** Waits until everything is readable, which may take hours; otherwise call again later to go on. */
  readonly wait?: boolean | undefined;
  /** Days for which the readable copy is kept; 7 when not given. */
  readonly days?: number | undefined;
  /** Requests and fetches nothing when the estimate is higher, or a price is not known. */
  readonly maxCostUsd?: number | undefined;
  /** With `wait`: milliseconds between two checks. */
  readonly pollMs?: number | undefined;
}

export interface RestoreOptions extends CallOptions, VersionChoice, FileChoice {
  /** Existing files that are replaced; the default `if-changed` replaces those with another size or time. */
  readonly overwrite?: 'always' | 'if-newer' | 'if-changed' | 'never' | undefined;
  /** Writes every file by its base name. */
  readonly flatten?: boolean | undefined;
  /** False to skip comparing contents with their MD5s. */
  readonly verify?: boolean | undefined;
  /** Restores setuid, setgid and sticky bits, and attributes other than user.* and ACLs. */
  readonly keepSpecialBits?: boolean | undefined;
  /** Reports what would be fetched, and writes and requests nothing. */
  readonly dryRun?: boolean | undefined;
  readonly cold?: ColdOptions | undefined;
  /** Memory limit in bytes; at least 192 MiB. A higher one applies when not given. */
  readonly memoryLimit?: number | undefined;
}

/** A needed chunk that is in cold storage, or will not become readable. */
export interface ColdChunk {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  readonly storageClass: string;
  readonly state: 'readable' | 'thawing' | 'cold' | 'missing' | 'denied';
  /** Time at which the readable copy expires; ISO 8601. */
  readonly expiresAt: string | null;
  /** The reason why it is denied, missing or was not requested. */
  readonly reason: string | null;
}

/** Result of a restore: counts of what was written, or would be. Sizes are bytes. */
export interface RestoreResult {
  /** `requested`: chunks were requested from cold storage, and nothing was written. */
  readonly status: 'restored' | 'requested' | 'planned';
  readonly uploadId: string;
  /** Set, like the next two, for a version of a dataset. */
  readonly datasetId?: string;
  readonly version?: number;
  readonly fork?: string | undefined;
  readonly outputDir: string;
  /** Number of files: everything except folders. */
  readonly files: number;
  readonly directories: number;
  readonly bytes: number;
  /** Number of files that were already in place. */
  readonly unchanged: number;
  /** Number of files kept because of `overwrite`. */
  readonly protected: number;
  /** Files that could not be restored; the others were. */
  readonly failed: readonly { readonly path: string; readonly reason: string }[];
  /** Number of chunks that hold the restored files, and bytes of them that were fetched. */
  readonly chunks: number;
  readonly bytesFetched: number;
  readonly coldChunks: readonly ColdChunk[];
  /** Cost of the retrieval, at list prices; null when a price is not known. */
  readonly costUsd: number | null;
  /** Time at which all requested chunks are readable at the latest (ISO 8601); null when they were requested before. */
  readonly readyBy?: string | null;
  readonly warnings: readonly string[];
}

const OVERWRITE = ['always', 'if-newer', 'if-changed', 'never'] as const;
const TIERS = ['expedited', 'standard', 'bulk'] as const;

/**
 * Restores files of a version below a folder, which is created when it is missing. A file gets its name once its checksum is right; nothing
 * is written outside of the folder or through a link in it. Files that are in place are left alone, so that the same call continues after
 * an interruption; of a process that was killed, it also finishes the file that it was writing.
 * @param outputDir an absolute path
 * @throws ArchiverError `usage`, `not-found`, `integrity`, `access-denied`, `no-space`, `budget-exceeded` for `maxCostUsd`, `cancelled` and
 * errors of the store; a file that fails is in `failed`
 */
export async function restore(store: Store, outputDir: string, options: RestoreOptions = {}): Promise<RestoreResult> {
  const { overwrite = 'if-changed', flatten = false, verify = true, keepSpecialBits = false, dryRun = false } = options;
  absolute(outputDir, 'the output folder');
  const selectors = selectorsOf(options);
  const memoryLimitBytes = checkMemoryLimit(options.memoryLimit);
  return await call(store, options, async (context) => {
    const { opened, now, emit, signal, requestsAtOnce, warnings } = context;
    const chosen = await chosenUpload(options, context);
    const retrieval = await retrieve({
      operation: 'restore',
      store: opened.store,
      uploadId: chosen.uploadId,
      manifestSha256: chosen.manifestSha256,
      selectors,
      outputDir,
      overwrite: oneOf(overwrite, OVERWRITE, 'overwrite'),
      flatten,
      verifyFiles: verify,
      keepSpecialBits,
      dryRun,
      requestsAtOnce,
      memoryLimitBytes,
      fillsCache: false,
      cold: coldOf(options.cold, context),
      now,
      emit,
      signal,
    });
    if (retrieval.kind === 'requested') throwIfCancelled(signal);
    await warnOfEmpty(retrieval, chosen, context);
    return { ...shown(retrieval, chosen), warnings: [...warnings, ...retrieval.result.warnings] };
  });
}

function coldOf(
  { tier = 'standard', ...cold }: ColdOptions = {},
  { opened: { region, isAws, runBy } }: Call,
): CoreCold {
  const { wait = false, days = 7, maxCostUsd, pollMs = defaultPollMs(tier) } = cold;
  return { tier: oneOf(tier, TIERS, 'cold.tier'), wait, days, maxCostUsd, pollMs, region, isAws, provider: runBy };
}

/** Warns when a restore finds nothing: the newest version may be forged, or made from a folder that was not mounted. */
async function warnOfEmpty(
  { kind, result }: Retrieval,
  { version, isNewest }: ChosenUpload,
  { opened, signal, warn }: Call,
): Promise<void> {
  const { files, unchanged, skipped, failed } = result;
  if (kind === 'requested' || files + unchanged + skipped + failed.length > 0) return;
  const before = version && isNewest === true ? await contentBefore(opened.store, version, signal) : undefined;
  if (version === undefined || before === undefined) return;
  const had = `${versionName(before)} has ${counted(before.totals.files, 'file')}`;
  warn(`${versionName(version)} of ${version.datasetId} is empty, and ${had}`);
}

function shown(retrieval: Retrieval, { version }: ChosenUpload): Omit<RestoreResult, 'warnings'> {
  const { kind: status, result } = retrieval;
  const { uploadId, outputDir, files, directories, bytes, unchanged, skipped, failed, chunks, bytesFetched } = result;
  const { coldChunks, costUsd, readyBy } = retrievalDocument(retrieval, undefined);
  const place = { uploadId, ...named(version), outputDir };
  const counts = { files, directories, bytes, unchanged, protected: skipped, failed, chunks, bytesFetched };
  return { status, ...place, ...counts, coldChunks, costUsd, ...defined({ readyBy }) };
}

const named = (version: (VersionName & { readonly datasetId: string }) | undefined) =>
  version === undefined
    ? {}
    : { datasetId: version.datasetId, version: version.version, ...defined({ fork: version.fork }) };
