// From a version to files.
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

/** What is done about chunks in cold storage, which must be requested before they can be read. */
export interface ColdOptions {
  /** `standard` when not given. */
  readonly tier?: 'expedited' | 'standard' | 'bulk' | undefined;
  /** Waits until everything is readable, hours perhaps; otherwise the same call again goes on. */
  readonly wait?: boolean | undefined;
  /** Days for which the readable copy is kept; 7 when not given. */
  readonly days?: number | undefined;
  /** Nothing is requested or fetched where the estimate is higher, or a price is not known. */
  readonly maxCostUsd?: number | undefined;
  /** With `wait`: milliseconds between two looks. */
  readonly pollMs?: number | undefined;
}

export interface RestoreOptions extends CallOptions, VersionChoice, FileChoice {
  /** Which files that are there are replaced: `if-changed` when not given, those with another size or time. */
  readonly overwrite?: 'always' | 'if-newer' | 'if-changed' | 'never' | undefined;
  /** Writes every file by its base name. */
  readonly flatten?: boolean | undefined;
  /** False: contents are not compared with their MD5s. */
  readonly verify?: boolean | undefined;
  /** Restores setuid, setgid and sticky bits, and attributes other than user.* and ACLs. */
  readonly keepSpecialBits?: boolean | undefined;
  /** Says what would be fetched, and writes and requests nothing. */
  readonly dryRun?: boolean | undefined;
  readonly cold?: ColdOptions | undefined;
  /** Bytes; at least 192 MiB. More where it is not given. */
  readonly memoryLimit?: number | undefined;
}

/** A chunk that is needed and in cold storage, or will not become readable. */
export interface ColdChunk {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  readonly storageClass: string;
  readonly state: 'readable' | 'thawing' | 'cold' | 'missing' | 'denied';
  /** When the readable copy ends; ISO 8601. */
  readonly expiresAt: string | null;
  /** Why it is denied, missing or was not requested. */
  readonly reason: string | null;
}

/** Counted is what was written, or would be. Sizes are bytes. */
export interface RestoreResult {
  /** `requested`: chunks were requested from cold storage, and nothing was written. */
  readonly status: 'restored' | 'requested' | 'planned';
  readonly uploadId: string;
  /** Of a version of a dataset, as the next. */
  readonly datasetId?: string;
  readonly version?: number;
  readonly fork?: string | undefined;
  readonly outputDir: string;
  /** Everything but folders. */
  readonly files: number;
  readonly directories: number;
  readonly bytes: number;
  /** In place already. */
  readonly unchanged: number;
  /** Kept because `overwrite` says so. */
  readonly protected: number;
  /** Files that could not be restored; the others were. */
  readonly failed: readonly { readonly path: string; readonly reason: string }[];
  /** Chunks that hold what is restored, and what of them was fetched. */
  readonly chunks: number;
  readonly bytesFetched: number;
  readonly coldChunks: readonly ColdChunk[];
  /** Of the retrieval, at list prices; null where a price is not known. */
  readonly costUsd: number | null;
  /** When all that was requested is readable at the latest (ISO 8601); null where it was requested before. */
  readonly readyBy?: string | null;
  readonly warnings: readonly string[];
}

const OVERWRITE = ['always', 'if-newer', 'if-changed', 'never'] as const;
const TIERS = ['expedited', 'standard', 'bulk'] as const;

/**
 * Restores files of a version below a folder, which is made when it is missing. A file appears under its name when it is whole and
 * its checksum is right; nothing is written outside of the folder or through a link in it. What is in place is left alone, so
 * that the same call again goes on after an interruption.
 * @param outputDir an absolute path
 * @throws ArchiverError `usage`, `not-found`, `integrity`, `access-denied`, `no-space`, `budget-exceeded` for `maxCostUsd`,
 * `cancelled` and what a store says; a file that fails is in `failed`
 */
export async function restore(store: Store, outputDir: string, options: RestoreOptions = {}): Promise<RestoreResult> {
  const { overwrite = 'if-changed', flatten = false, verify = true, keepSpecialBits = false, dryRun = false } = options;
  absolute(outputDir, 'the output folder');
  const selectors = selectorsOf(options);
  const memoryLimitBytes = checkMemoryLimit(options.memoryLimit);
  return await call(store, options, async (its) => {
    const { opened, now, emit, signal, requestsAtOnce, warnings } = its;
    const chosen = await chosenUpload(options, its);
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
      cold: coldOf(options.cold, its),
      now,
      emit,
      signal,
    });
    if (retrieval.kind === 'requested') throwIfCancelled(signal);
    await warnOfEmpty(retrieval, chosen, its);
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

/** The newest version may be forged, or of a folder that was not mounted. */
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
