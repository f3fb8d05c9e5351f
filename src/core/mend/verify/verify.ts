// Verifies an upload. `quick` reads the manifest and compares it with itself; by default the version record must also name it, and every
// chunk must be in the store with its size; `deep` also reads chunks, all of them or a sample, and checks every byte.
import { loadCodec } from '../../platform/codec/codec.js';
import { ArchiverError, isArchiverError } from '../../platform/failures/errors.js';
import { defined } from '../../platform/defined.js';
import type { Part } from '../../platform/part.js';
import type { EventSink } from '../../events/events.js';
import { readManifest } from '../../format/manifest/manifest-reader.js';
import { repairCommand } from '../../format/manifest/repair-hint.js';
import { damagedHint, missingHint } from './way-out.js';
import { IndexCheck } from '../../format/manifest/index-check.js';
import { indexOf } from '../../format/manifest/loaded-manifest.js';
import type { EntryBatch } from '../../dataset/chain/merged-view.js';
import { isRows } from '../../format/rows/row-lines.js';
import type { ManifestHead, ManifestIndex, VersionRecord } from '../../format/manifest/manifest-types.js';
import type { ObjectReader } from '../../store/object-store.js';
import { displayPath } from '../../platform/paths/raw-path.js';
import { resultPath } from '../../platform/failures/failure-list.js';
import { openTable } from '../../restore/plan/selected-table.js';
import { checkChain, type CheckedChain } from './check-chain.js';
import { checkObjects, type FoundObjects } from './check-objects.js';
import { checkRecord } from './check-record.js';
import { ColdChunks, type ColdCount } from './cold-chunks.js';
import { chunksOfPart, sampleChunks } from './choose-chunks.js';
import { deepCheck } from './deep-check.js';
import { fullKey, KeptEntries } from './kept-entries.js';
import { ManifestChecker } from './manifest-checker.js';
import { Problems, type Problem } from './problem.js';
import { workerCount, WorkerPool } from '../../restore/unpack/worker-pool.js';
import { checkSegmentFolders, type KnownDatasets } from './segment-folders.js';
import { uploadUrlOf, type UploadId } from '../../store/ids/upload-id.js';

export type VerifyMode = 'quick' | 'default' | 'deep';

/** How much was checked: the manifest; that the chunks exist; also some of their contents; or all of them. */
export type CheckedLevel = 'manifest' | 'presence' | 'sample' | 'content';

export interface VerifyOptions {
  readonly reader: ObjectReader;
  readonly uploadId: UploadId;
  /** The version's record, where that is how the upload was found. */
  readonly record?: VersionRecord | undefined;
  readonly mode: VerifyMode;
  /** Share of the chunks that `deep` reads, from 0 to 1; at least one chunk is read. */
  readonly sample: number;
  /** Makes `deep` read one of several parts of the chunks, which together are all of them. */
  readonly part?: Part | undefined;
  /** Returns a number from 0 to 1; chooses the sample. */
  readonly random: () => number;
  readonly now: () => Date;
  readonly requestsAtOnce: number;
  readonly memoryLimitBytes?: number | undefined;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

/** State shared while the versions of a store are verified one after the other. */
export interface SharedVerifyState {
  /** The version's record; undefined for an upload that is not a version. */
  readonly record: VersionRecord | undefined;
  /** All objects below `uploads/`; undefined with `quick`. */
  readonly listed: FoundObjects | undefined;
  /** Full keys of chunks that earlier versions need: they are not read again. Updated in place. */
  readonly seen: Set<string>;
  /** Those of `seen` that were damaged. Updated in place. */
  readonly damaged: Set<string>;
  /** Updated in place. */
  readonly datasets: KnownDatasets;
  /** Digests of manifests that were found right: versions that build on them do not check them again. Updated in place. */
  readonly right: Set<string>;
}

export interface VerifyResult {
  readonly ok: boolean;
  readonly uploadId: UploadId;
  /** The version's record, where it was looked at and there is one. */
  readonly record?: VersionRecord;
  readonly mode: VerifyMode;
  readonly checked: CheckedLevel;
  /** Set when one part of the chunks was to be read. */
  readonly part?: Part;
  readonly errors: readonly Problem[];
  /** Number of all errors, including those not listed. */
  readonly errorCount: number;
  readonly warnings: readonly Problem[];
  /** How to fix it; null when nothing is wrong. */
  readonly hint: string | null;
  /** Counts are those of the effective view. */
  readonly entries: number;
  readonly files: number;
  readonly bytes: number;
  readonly chunks: number;
  readonly chunksRead: number;
  /** Chunks that were to be read but lie in cold storage, by class: their content was not checked. */
  readonly unreadCold: readonly ColdCount[];
  readonly filesRead: number;
  readonly bytesRead: number;
}

/** Verifies an upload. @throws not-found and what the store says; damage is in the result */
export async function verifyUpload(options: VerifyOptions): Promise<VerifyResult> {
  options.emit({
    type: 'start',
    operation: 'verify',
    source: uploadUrlOf(options.reader.url, options.uploadId),
    target: '',
  });
  return await new Verification(options).run();
}

/** Verifies a version of a store. @throws as `verifyUpload` */
export const verifyVersion = async (options: VerifyOptions, shared: SharedVerifyState): Promise<VerifyResult> =>
  await new Verification(options, shared).run();

/** Returns the level of a check that read `chunksRead` of `chunks`. */
export function levelOf(mode: VerifyMode, chunks: number, chunksRead: number): CheckedLevel {
  if (mode === 'quick') return 'manifest';
  if (chunksRead === chunks) return 'content';
  return mode === 'deep' && chunksRead > 0 ? 'sample' : 'presence';
}

/** A manifest, or a chain of them, that could be read to its end. */
interface Sound {
  readonly head: ManifestHead;
  /** Digest of the newest manifest as stored. */
  readonly sha256: string | undefined;
  /** Where its index is, if it has one. */
  readonly index: ManifestIndex | undefined;
  /** 1 for each chunk that an entry refers to; when undefined, all of them are needed. */
  readonly used?: Uint8Array | undefined;
  /** Reads entries once more, those in these chunks; undefined where they were kept as they passed. */
  readonly entriesIn?: CheckedChain['entriesIn'];
}

/** Returns positions of the chunks that this version needs. */
const neededChunks = ({ head, used }: Pick<Sound, 'head' | 'used'>): number[] =>
  [...head.chunks.keys()].filter((position) => used === undefined || used[position] === 1);

class Verification {
  private readonly errors = new Problems();
  private readonly warnings = new Problems();
  private readonly kept: KeptEntries;
  private counts = { entries: 0, files: 0, bytes: 0 };
  private read = { chunks: 0, files: 0, bytes: 0 };
  private unreadCold: readonly ColdCount[] = [];
  private hint: string | null = null;
  private record: VersionRecord | undefined;
  private readonly pool: WorkerPool;

  constructor(
    private readonly options: VerifyOptions,
    private readonly shared?: SharedVerifyState,
  ) {
    const { mode, sample, part, memoryLimitBytes } = options;
    const isWhole = sample >= 1 && part === undefined;
    this.kept = new KeptEntries({ isDeep: mode === 'deep', isWhole, seen: shared?.seen, cold: shared?.listed?.cold });
    // Later versions may have nothing to read.
    const isFirst = (shared?.seen.size ?? 0) === 0;
    this.pool = new WorkerPool(mode === 'deep' && isFirst ? workerCount(memoryLimitBytes) : 0);
  }

  async run(): Promise<VerifyResult> {
    try {
      const sound = await this.checkManifest();
      if (sound !== undefined) await this.checkStore(sound);
      return this.result(sound);
    } finally {
      await this.pool.close();
    }
  }

  /** Reads the manifest; undefined when it cannot be trusted, and then the errors say why. */
  private async checkManifest(): Promise<Sound | undefined> {
    try {
      return await this.readManifest();
    } catch (error) {
      if (!isArchiverError(error, 'integrity')) throw error;
      this.errors.add(error.message);
      this.hint = error.hint ?? repairCommand(this.options.reader, this.options.uploadId);
      return undefined;
    }
  }

  private async readManifest(): Promise<Sound> {
    const { errors, warnings, kept } = this;
    const { reader, uploadId, signal } = this.options;
    const right = this.shared?.right ?? new Set<string>();
    const index = new IndexCheck();
    let checker: ManifestChecker | undefined;
    let head: ManifestHead | undefined;
    const read = await readManifest(reader, {
      uploadId,
      signal,
      onStored: (piece) => index.push(piece),
      onHead: (parsed) => {
        ({ head } = parsed);
        checker = new ManifestChecker(head, errors, warnings);
      },
      onEntry: (entry) => {
        checker?.entry(entry);
        if (head !== undefined) kept.pass(entry, head);
      },
      onForeign: ({ path, foreignType }) =>
        errors.add(`its type '${displayPath(foreignType)}' is not known`, { path: resultPath(path) }),
    });
    const problem = index.finish();
    if ('bytes' in read) {
      let isKept: boolean | undefined;
      const onEntries = (batch: EntryBatch, of: ManifestHead): void => {
        isKept ??= kept.areAllRead(of);
        if (!isKept) return;
        if (isRows(batch)) kept.passRows(batch, of);
        else for (const entry of batch) kept.pass(entry, of);
      };
      const checked = await checkChain(read, { reader, errors, warnings, right, onEntries, signal });
      const { entries, files, bytes } = checked.totals;
      this.counts = { entries, files, bytes };
      const { entriesIn, ...sound } = checked;
      return { ...sound, sha256: read.sha256, index: indexOf(read), ...(isKept === true ? {} : { entriesIn }) };
    }
    if (problem !== undefined) errors.add(problem);
    checker?.finish();
    if (read.sha256 !== undefined && errors.count + warnings.count === 0) right.add(read.sha256);
    if (checker !== undefined) this.counts = { entries: checker.entries, files: checker.files, bytes: checker.bytes };
    return { head: read.head, sha256: read.sha256, index: index.index };
  }

  /** Returns positions of the chunks that no earlier version needs. */
  private share({ head, used }: Sound): number[] {
    const known = this.kept.knownOf(head);
    const needed = neededChunks({ head, used });
    const { seen, damaged } = this.shared ?? {};
    for (const chunk of needed) {
      const { key = '' } = head.chunks[chunk] ?? {};
      if (damaged?.has(fullKey(head, key)) === true)
        this.errors.add(`chunk ${chunk} is damaged, as a version before this one says`, { key });
      seen?.add(fullKey(head, key));
    }
    return needed.filter((chunk) => known[chunk] !== 1);
  }

  private async checkStore(sound: Sound): Promise<void> {
    const { head, used, sha256, index } = sound;
    const { shared } = this;
    const fresh = this.share(sound);
    const { mode, reader, signal, emit } = this.options;
    const { errors, warnings } = this;
    if (errors.count > 0 && head.segments !== undefined) this.hint = repairCommand(reader, head.uploadId);
    if (mode === 'quick') return;
    emit({ type: 'phase', phase: 'scanning' });
    const before = errors.count;
    const about = { reader, head, index, known: shared?.record ?? this.options.record, errors, warnings, signal };
    if (sha256 !== undefined) this.record = await checkRecord({ ...about, sha256 });
    const datasets = shared?.datasets ?? new Map<UploadId, string>();
    await checkSegmentFolders({ reader, head, datasets, errors, signal });
    if (errors.count > before) this.hint = repairCommand(reader, head.uploadId);
    const beforeChunks = errors.count;
    const found = await checkObjects({ reader, head, used, listed: shared?.listed, errors, warnings, signal });
    if (errors.count > beforeChunks) this.hint ??= missingHint(reader, head);
    if (mode === 'deep') await this.readChunks(sound, fresh, found);
  }

  /** Reads those of `fresh`, or a sample of them, that are not cold. */
  private async readChunks({ head, entriesIn }: Sound, fresh: readonly number[], found: FoundObjects): Promise<void> {
    const { reader, signal, emit, sample, part, random, now, requestsAtOnce, memoryLimitBytes } = this.options;
    const { errors, warnings, shared, kept } = this;
    const { slowness } = loadCodec();
    if (slowness !== undefined) emit({ type: 'note', text: slowness });
    const cold = new ColdChunks({ reader, head, now, signal });
    const chosen =
      part === undefined
        ? sampleChunks(fresh, sample, random)
        : chunksOfPart(fresh, part, (chunk) => head.chunks[chunk]?.size ?? 0);
    const chunks = await cold.skip(chosen, found);
    const read = new Set(chunks);
    for await (const batch of entriesIn?.(read) ?? [])
      for (const entry of batch) kept.keep(entry, head, (chunk) => read.has(chunk));
    const listed = errors.list.length;
    const data = kept.builder.data();
    const checked = await deepCheck({
      reader,
      head,
      table: openTable(data),
      data,
      extras: kept.builder.extras,
      chunks,
      pool: this.pool,
      requestsAtOnce,
      memoryLimitBytes,
      errors,
      warnings,
      emit,
      signal,
    });
    if (errors.list.length > listed) this.hint ??= damagedHint(reader, head);
    for (const { key } of errors.list.slice(listed)) if (key !== undefined) shared?.damaged.add(fullKey(head, key));
    await cold.refused(checked.refusedAsCold);
    this.unreadCold = cold.counts;
    this.read = { chunks: checked.chunksRead, files: checked.filesChecked, bytes: checked.bytesRead };
  }

  private result(sound: Sound | undefined): VerifyResult {
    const { errors, warnings, read, options } = this;
    if (sound === undefined && errors.count === 0) throw new ArchiverError('internal', 'verify has no verdict');
    const chunks = sound === undefined ? 0 : neededChunks(sound).length;
    return {
      ok: errors.count === 0,
      uploadId: options.uploadId,
      mode: options.mode,
      ...defined({ part: options.part, record: this.record }),
      checked: sound === undefined ? 'manifest' : levelOf(options.mode, chunks, read.chunks),
      errors: errors.list,
      errorCount: errors.count,
      warnings: warnings.list,
      hint: this.hint,
      ...this.counts,
      chunks,
      chunksRead: read.chunks,
      unreadCold: this.unreadCold,
      filesRead: read.files,
      bytesRead: read.bytes,
    };
  }
}
