// Repairs a manifest that is lost, damaged or not the recorded one; or, with `--force`, a sound one.
import { loadChain } from '../../dataset/chain/load-chain.js';
import { summarize } from '../../dataset/chain/summarize.js';
import { type View, viewOf } from '../../dataset/chain/view.js';
import { isArchiverError } from '../../platform/failures/errors.js';
import { ManifestSealer } from '../../format/manifest/manifest-sealer.js';
import type { ManifestHead, Totals } from '../../format/manifest/manifest-types.js';
import type { Choice } from './choose-layers.js';
import type { CurrentManifest } from './current-manifest.js';
import { type Dependents, findDependents } from './dependents.js';
import { type ExactCopy, findExactCopy, opensAs } from './exact-copy.js';
import { type FoundRecord, RecordSearch } from './find-record.js';
import type { FolderObjects } from './folder-objects.js';
import { findLosses, findUnknowns } from './losses.js';
import { manifestKeyId } from './manifest-key.js';
import { putBack } from './put-back.js';
import { copyKeyOf, putRebuilt } from './put-rebuilt.js';
import { bytesToRead, chunksToRead, type FolderRead, ReadDigests, readFolders } from './read-used.js';
import { rebuildHead } from './rebuild-head.js';
import { rebuild, type Rebuilt } from './rebuild.js';
import type { SegmentMending } from './mend-segments.js';
import { type Renamed, renameSegments } from './rename-segments.js';
import type { SegmentBase } from './segment-base.js';
import { assertSame, requireContent } from './refusals.js';
import { RememberedUse } from './remembered-use.js';
import type { RepairOptions, RepairResult } from './repair-result.js';
import { checkObjects } from '../verify/check-objects.js';
import { Problems } from '../verify/problem.js';
import { ViewSources } from './view-sources.js';
import type { EncodedManifest } from '../../format/manifest/encoded-manifest.js';
import { manifestKeyOf, uploadFolder, type UploadId } from '../../store/ids/upload-id.js';

export interface DamagedManifest {
  readonly current: CurrentManifest;
  readonly search: RecordSearch;
  readonly damage: string | null;
  /** The folder of the upload. */
  readonly objects: FolderObjects;
  readonly mending: SegmentMending;
  /** What is left of a listing in segments. */
  readonly base: SegmentBase | undefined;
}

export class DamagedRepair {
  private readonly cache: RememberedUse;
  private readonly current: CurrentManifest;
  private readonly search: RecordSearch;
  private readonly damage: string | null;
  private readonly objects: FolderObjects;
  private readonly mending: SegmentMending;
  private readonly base: SegmentBase | undefined;

  constructor(
    private readonly options: RepairOptions,
    { current, search, damage, objects, mending, base }: DamagedManifest,
  ) {
    this.cache = new RememberedUse(options.cache);
    this.current = current;
    this.search = search;
    this.damage = damage;
    this.objects = objects;
    this.mending = mending;
    this.base = base;
  }

  private get found(): FoundRecord | undefined {
    return this.search.found;
  }

  /** The head of the existing manifest, if it can be read, or that of a copy. */
  private get head(): ManifestHead | undefined {
    return (
      (this.base?.hasHead === true ? this.base.loaded.head : undefined) ??
      (this.current.state === 'missing' ? undefined : this.current.head)
    );
  }

  /** Undefined when it put lost segments in place, and is to be done again. @throws as `repairUpload` */
  async run(): Promise<RepairResult | undefined> {
    const { objects } = this;
    const isForced = this.damage === null;
    const recorded = isForced ? undefined : await this.recordedCopy(objects);
    const dependents = await this.dependents(this.search);
    const copy = recorded ?? (isForced ? undefined : await this.namedCopy(objects, dependents));
    return copy === undefined ? await this.rebuildFrom(objects, dependents) : await this.restore(copy, dependents);
  }

  private async dependents({ newer }: RecordSearch): Promise<Dependents> {
    const { store, uploadId, signal } = this.options;
    return await findDependents(store, { uploadId, newer, cache: this.cache, signal });
  }

  /** Finds a copy of the manifest that the version record names. */
  private async recordedCopy({ beside }: FolderObjects): Promise<ExactCopy | undefined> {
    if (this.found === undefined) return undefined;
    const { store, uploadId, signal } = this.options;
    const { manifestSha256, replacementSha256 } = this.found.record;
    const options = { uploadId, beside, cache: this.cache, mending: this.mending, signal };
    const copy = await findExactCopy(store, { ...options, digests: [manifestSha256] });
    if (copy !== undefined || replacementSha256 === undefined) return copy;
    const next = await findExactCopy(store, { ...options, digests: [replacementSha256] });
    // Otherwise an interrupted repair wrote it with another view, and that repair is done again.
    return next?.loaded.head.replaces?.includes(manifestSha256) === true ? next : undefined;
  }

  /** Finds a copy that versions building on it name, from before a prune or a balance rewrote it. */
  private async namedCopy({ beside }: FolderObjects, dependents: Dependents): Promise<ExactCopy | undefined> {
    const { store, uploadId, signal } = this.options;
    const digests = this.namedBy(dependents);
    const { cache, mending } = this;
    const copy = await findExactCopy(store, { uploadId, digests, beside, cache, mending, signal });
    if (copy === undefined) return undefined;
    const { head } = copy.loaded;
    const expected = this.found?.record.totals ?? head.view ?? head.totals;
    return (await opensAs(store, copy.loaded, expected, signal)) ? copy : undefined;
  }

  private namedBy({ building }: Dependents): readonly string[] {
    const { uploadId } = this.options;
    const named = building.flatMap(({ loaded: { head } }) =>
      head.previous?.uploadId === uploadId ? [head.previous.sha256] : [],
    );
    return [...new Set(named)];
  }

  private async restore(copy: ExactCopy, dependents: Dependents): Promise<RepairResult> {
    const { store, execute, signal } = this.options;
    const { head, sealedBy } = copy.loaded;
    const { current, found } = this;
    const named = this.namedBy(dependents);
    const written = execute
      ? await putBack(store, { copy, current, found, named, signal })
      : { manifestSha256: null, backupKey: copyKeyOf(head.uploadId, current) };
    const totals = head.view ?? head.totals;
    const { lost, unknown } = await this.missingChunks(copy);
    return {
      ...this.about(),
      rebuilt: { ...summaryOf(head, totals, sealedBy), takenFrom: null },
      parts: [{ uploadId: head.uploadId, from: copy.from === 'cache' ? 'cache' : 'copy' }],
      isProven: true,
      rebased: [],
      readBytes: 0,
      lost,
      unknown,
      ...written,
    };
  }

  /** Returns chunks that the copy names and its view needs, but that are not in the store. */
  private async missingChunks({ loaded }: ExactCopy): Promise<Pick<RepairResult, 'lost' | 'unknown'>> {
    const { store, uploadId, signal } = this.options;
    const [errors, warnings] = [new Problems(), new Problems()];
    try {
      const view = viewOf(await loadChain(store, loaded, { signal }));
      const { used } = await summarize(view);
      const head = { ...loaded.head, uploadId, chunks: view.chunks };
      await checkObjects({ reader: store, head, used, errors, warnings, signal });
    } catch (error) {
      if (!isArchiverError(error, 'integrity', 'not-found')) throw error;
      return { lost: [], unknown: [`whether its chunks are there: ${error.message}`] };
    }
    return { lost: errors.list.map(({ key, message }) => ({ reason: message, ...(key && { key }) })), unknown: [] };
  }

  private about(): Pick<RepairResult, 'uploadId' | 'status' | 'damage' | 'version' | 'manifestKey' | 'segmentKeys'> {
    const { uploadId, execute } = this.options;
    const record = this.found?.record;
    return {
      uploadId,
      status: execute ? 'repaired' : 'repairable',
      damage: this.damage,
      version: record === undefined ? null : { datasetId: record.datasetId, version: record.version },
      manifestKey: manifestKeyOf(uploadId),
      segmentKeys: [],
    };
  }

  private emitCommitting(): void {
    const { execute, emit } = this.options;
    if (execute) emit?.({ type: 'phase', phase: 'committing' });
  }

  private async rebuildFrom(objects: FolderObjects, dependents: Dependents): Promise<RepairResult | undefined> {
    const { options, current, found, base } = this;
    const { store, uploadId, execute, signal } = options;
    const kmsKeyId = manifestKeyId(uploadId, current, found);
    const sealer = kmsKeyId === undefined ? undefined : new ManifestSealer({ store, uploadId, kmsKeyId, signal });
    // Fails early when permission for the key is missing, before the chunks are read.
    if (execute) await sealer?.prepare();
    const isSame = this.damage === null;
    const sources = this.sources(dependents);
    const own = await sources.openOwn(objects);
    const choice = await sources.choose(own);
    requireContent(own, choice, { store, uploadId, current, record: found?.record });
    const toRead = chunksToRead(choice, uploadId);
    const read = execute ? await readFolders(store, toRead, options) : toRead;
    const { rebuilt, unknown } = await this.manifestOf(choice, read, sources.deltaBase(choice));
    if (isSame) await assertSame(store, rebuilt, { uploadId, current, signal });
    if (await this.putAgain(rebuilt)) return undefined;
    const about = { uploadId, own, choice, read, rebuilt, record: found?.record };
    const lost = await findLosses(about);
    const lookAgain = async (): Promise<Dependents> =>
      await this.dependents(await RecordSearch.of(store, uploadId, signal));
    const writing = { store, uploadId, rebuilt, current, found, dependents, lookAgain, isSame, sealer, kmsKeyId, base };
    this.emitCommitting();
    const { isRecorded, next, ...written } = await putRebuilt({ ...writing, execute, signal });
    const renamed = await this.rename(next);
    return {
      ...this.about(),
      rebuilt: { ...summaryOf(rebuilt.head, rebuilt.totals, kmsKeyId), takenFrom: rebuilt.takenFrom ?? null },
      parts: sources.partsOf(choice),
      isProven: isSame || isRecorded || found === undefined || isComplete(choice, rebuilt),
      readBytes: bytesToRead(toRead),
      lost,
      unknown: [...unknown, ...findUnknowns(about), ...renamed.unknown, ...this.otherUnknowns(objects, dependents)],
      ...written,
      rebased: [...written.rebased, ...renamed.rebased],
      segmentKeys: ownKeys(uploadId, next),
    };
  }

  private sources({ building }: Dependents): ViewSources {
    const { options, search, head, cache, base } = this;
    const sources = new ViewSources({ options, search, head, cache, base });
    for (const { loaded } of building) sources.known.add(loaded.uploadId, loaded.head.chunks);
    if (this.damage === null) sources.known.add(options.uploadId, head?.chunks ?? []);
    return sources;
  }

  /** Mends the other versions that name lost segments. */
  private async rename(written: EncodedManifest | undefined): Promise<Renamed> {
    const { options, base, cache, search } = this;
    const { store, execute, signal } = options;
    if (base === undefined || written === undefined || base.lost.length === 0) return { rebased: [], unknown: [] };
    return await renameSegments(store, { base, written, others: await search.others(), cache, execute, signal });
  }

  /** Puts those lost segments in place that what was found encodes to, byte for byte. */
  private async putAgain({ view }: Rebuilt): Promise<boolean> {
    const { base } = this;
    if (base === undefined) return false;
    const again = await base.encodedAgain(view);
    for (const [place, bytes] of again) await this.mending.take(base.loaded.head, place, bytes);
    return again.size > 0;
  }

  private async manifestOf(
    choice: Choice,
    read: readonly FolderRead[],
    before: View | undefined,
  ): Promise<{ readonly rebuilt: Rebuilt; readonly unknown: readonly string[] }> {
    const { options, found } = this;
    const { head: describing, unknown } = rebuildHead({
      ...options,
      url: options.store.url,
      damaged: this.head,
      record: found?.record,
      chunks: choice.layers.flatMap(({ tables }) => tables?.level.chunks ?? []),
      hasChecksums: await hasChecksums(choice),
    });
    const skipped = found?.record.totals.skipped ?? 0;
    const digests = new ReadDigests(read);
    return { rebuilt: await rebuild({ choice, digests, describing, before, skipped }), unknown };
  }

  private otherUnknowns({ marked }: FolderObjects, { unreadable }: Dependents): readonly string[] {
    const { found, search, current } = this;
    return [
      ...unreadable.map(
        ({ version, uploadId, reason }) =>
          `whether version ${version} (${uploadId}) builds on it: its manifest cannot be read (${reason})`,
      ),
      ...(found === undefined && current.state === 'missing'
        ? ['whether the manifest was encrypted: the rebuilt one is not']
        : []),
      ...(found === undefined && search.unreadable > 0
        ? [
            `which version the upload is: ${search.unreadable} version records cannot be read, and one of them may name it`,
          ]
        : []),
      ...(found === undefined && marked?.size !== 0
        ? ['for how long its objects stay: a prune has marked some of them, because no version needs them']
        : []),
    ];
  }
}

const ownKeys = (uploadId: UploadId, next: EncodedManifest | undefined): readonly string[] =>
  (next?.segments?.own ?? []).map(({ place }) => uploadFolder(uploadId) + place.key);

/** True for a self-contained upload without losses. */
const isComplete = ({ isEqual, layers }: Choice, { head }: Rebuilt): boolean =>
  isEqual && layers.length === 1 && head.listing === 'full';

function summaryOf(
  { listing, chunks, totals: { storedBytes } }: ManifestHead,
  { entries, files, bytes }: Totals,
  kmsKeyId: string | undefined,
): Omit<NonNullable<RepairResult['rebuilt']>, 'takenFrom'> {
  return { listing, chunks: chunks.length, entries, files, bytes, storedBytes, encryptedBy: kmsKeyId ?? null };
}

async function hasChecksums({ view }: Choice): Promise<boolean> {
  for await (const batch of view.entries()) if (batch.some(({ md5 }) => md5 !== undefined)) return true;
  return false;
}
