// Rebuilds a lost or damaged manifest from the tables of contents of the chunks. Nothing is written before everything is
// known, nothing is deleted but what the repair itself wrote beside, and a sound manifest stays.
import { ManifestSealer } from '../keys/manifest-sealer.js';
import { composeManifest } from '../manifest/compose-manifest.js';
import { manifestKeyOf } from '../manifest/open-manifest.js';
import type { Listing } from '../manifest/manifest-types.js';
import { ArchiverError, integrityError } from '../errors.js';
import type { ObjectStore } from '../object-store/object-store.js';
import { assembleCutFiles } from './cut-files.js';
import { readCurrentManifest, type CurrentManifest } from './current-manifest.js';
import { fetchTables, type FoundChunks } from './fetch-tables.js';
import { findRecord, type FoundRecord, type RecordSearch } from './find-record.js';
import { findLosses, findUnknowns, type Loss } from './losses.js';
import { openOwnView } from './own-view.js';
import { readChunks } from './read-chunks.js';
import { rebuildHead } from './rebuild-head.js';
import { rebuild, type Rebuilt } from './rebuild.js';
import { backupKeyOf, finishRecord, removeBeside, swapManifest } from './swap-manifest.js';

export interface RepairOptions {
  readonly store: ObjectStore;
  readonly uploadId: string;
  readonly region: string | undefined;
  readonly tool: string;
  /** Write; else only say what would be written. */
  readonly execute: boolean;
  /** Also when the manifest is sound. */
  readonly force: boolean;
  /** See `RebuildOptions`. */
  readonly fromPrevious: boolean;
  readonly requestsAtOnce: number;
  readonly signal: AbortSignal;
  /** Chunks and bytes read through so far. */
  readonly onProgress: (chunks: number, bytes: number) => void;
}

/**
 * `sound`: nothing to do. `unfinished`: the manifest is sound and its record still names the one that it replaced.
 * `repairable` and `repaired`: a manifest can be, or was, rebuilt.
 */
export type RepairStatus = 'sound' | 'unfinished' | 'finished' | 'repairable' | 'repaired';

export interface RepairResult {
  readonly uploadId: string;
  readonly status: RepairStatus;
  /** What is wrong with the manifest that is there; null when it is sound. */
  readonly damage: string | null;
  readonly version: { readonly datasetId: string; readonly version: number } | null;
  /** Of the rebuilt manifest; null when there is none. */
  readonly rebuilt: {
    readonly listing: Listing;
    readonly chunks: number;
    readonly entries: number;
    readonly files: number;
    readonly bytes: number;
    readonly storedBytes: number;
    /** The KMS key that it is encrypted with, as the one was that it replaces. */
    readonly encryptedBy: string | null;
    /** The upload of the version before, from which entries were taken over. */
    readonly takenFrom: string | null;
  } | null;
  /** Stored bytes that are, or would be, read through for their digests. */
  readonly readBytes: number;
  readonly lost: readonly Loss[];
  readonly unknown: readonly string[];
  readonly manifestKey: string;
  /** Of what was written. */
  readonly manifestSha256: string | null;
  /** Copy of the manifest that is replaced. */
  readonly backupKey: string | null;
}

/** @throws integrity when nothing can be rebuilt, and what the store says */
export async function repairUpload(options: RepairOptions): Promise<RepairResult> {
  const { store, uploadId, signal } = options;
  const [current, search] = await Promise.all([
    readCurrentManifest(store, uploadId, signal),
    findRecord(store, uploadId, signal),
  ]);
  const damage = damageOf(current, search.found);
  if (damage === null && current.state === 'sound' && !options.force)
    return await settleSound(options, current, search.found);
  return await new Repair(options, current, search, damage).run();
}

/** Null when the manifest is sound and the one that its record means. */
function damageOf(current: CurrentManifest, found: FoundRecord | undefined): string | null {
  if (current.state === 'missing') return 'there is no manifest';
  if (current.state === 'damaged') return current.reason;
  if (found === undefined) return null;
  const { manifestSha256, replacementSha256 } = found.record;
  const digests = [current.sha256, ...(current.head?.replaces ?? [])];
  if (digests.includes(manifestSha256) || current.sha256 === replacementSha256) return null;
  return `it is sound, but not the manifest that the version record names (its SHA-256 is ${current.sha256})`;
}

const versionOf = (found: FoundRecord | undefined): RepairResult['version'] =>
  found === undefined ? null : { datasetId: found.record.datasetId, version: found.record.version };

async function settleSound(
  { store, uploadId, execute, signal }: RepairOptions,
  { sha256, head }: Exclude<CurrentManifest, { state: 'missing' }>,
  found: FoundRecord | undefined,
): Promise<RepairResult> {
  const isUnfinished = found !== undefined && found.record.manifestSha256 !== sha256;
  // A prune that was killed had made it a full listing.
  const lists = head === undefined ? {} : { listing: head.listing, totals: head.view ?? head.totals };
  if (isUnfinished && execute) await finishRecord(store, found, { manifestSha256: sha256, ...lists }, signal);
  if (execute) await removeBeside(store, uploadId, signal); // of a repair that was broken off at its end
  return {
    uploadId,
    status: isUnfinished ? (execute ? 'finished' : 'unfinished') : 'sound',
    damage: null,
    version: versionOf(found),
    rebuilt: null,
    readBytes: 0,
    lost: [],
    unknown: [],
    manifestKey: manifestKeyOf(uploadId),
    manifestSha256: isUnfinished && execute ? sha256 : null,
    backupKey: null,
  };
}

class Repair {
  constructor(
    private readonly options: RepairOptions,
    private readonly current: CurrentManifest,
    private readonly search: RecordSearch,
    private readonly damage: string | null,
  ) {}

  async run(): Promise<RepairResult> {
    const { options, current, search, damage } = this;
    const { store, uploadId, region, tool, execute, fromPrevious, requestsAtOnce, signal } = options;
    const record = search.found?.record;
    const found = await fetchTables(store, { uploadId, requestsAtOnce, signal });
    this.requireChunks(found);
    const cut = assembleCutFiles(found.chunks);
    const sealer = this.sealer();
    // Whoever may not have a key learns of it before the chunks are read.
    if (execute) await sealer?.prepare();
    const read = execute ? await readChunks(store, found.chunks, options) : undefined;
    const own = await openOwnView(uploadId, found.chunks, cut, read);
    const damaged = current.state === 'missing' ? undefined : current.head;
    const { head: describing, unknown } = rebuildHead({ uploadId, url: store.url, region, tool, damaged, record, own });
    const rebuilt = await rebuild({
      reader: store,
      own,
      describing,
      damaged,
      record: search.found,
      fromPrevious,
      signal,
    });
    const sources = { found, cut, read, rebuilt, record };
    const written = execute ? await this.write(rebuilt, sealer) : { manifestSha256: null, backupKey: this.backupKey() };
    return {
      uploadId,
      status: execute ? 'repaired' : 'repairable',
      damage,
      version: versionOf(search.found),
      rebuilt: summaryOf(rebuilt, this.kmsKeyId()),
      readBytes: found.chunks.reduce((sum, { size }) => sum + size, 0),
      lost: findLosses(sources),
      unknown: [...unknown, ...findUnknowns(sources), ...this.untold()],
      manifestKey: manifestKeyOf(uploadId),
      ...written,
    };
  }

  private requireChunks({ chunks, bad }: FoundChunks): void {
    const { store, uploadId } = this.options;
    const place = `${store.url}/uploads/${uploadId}`;
    if (chunks.length > 0 || this.search.found?.record.totals.chunks === 0) return;
    if (bad.length > 0)
      throw integrityError(
        `${place} cannot be repaired: none of its ${bad.length} chunks has a sound table of contents`,
        {
          hint: `its files may still be read by hand: zstd -dc CHUNK | tar -x (${bad[0]?.key}: ${bad[0]?.reason})`,
        },
      );
    const isKnown = this.current.state !== 'missing' || this.search.found !== undefined;
    if (isKnown) throw integrityError(`${place} cannot be repaired: it has no chunks of its own`);
    throw new ArchiverError('not-found', `there is no upload here: ${place} holds no chunks and no manifest`, {
      hint: 'an upload URL ends in /uploads/<upload id>, as `archiver upload` printed it',
    });
  }

  private untold(): readonly string[] {
    const { found, unreadable } = this.search;
    if (found !== undefined) return [];
    return [
      ...(this.current.state === 'missing' ? ['whether the manifest was encrypted: the rebuilt one is not'] : []),
      ...(unreadable === 0
        ? []
        : [`which version the upload is: ${unreadable} version records cannot be read, and one of them may name it`]),
    ];
  }

  private backupKey(): string | null {
    const { current, options } = this;
    return current.state === 'missing' ? null : backupKeyOf(options.uploadId, current.sha256);
  }

  /** What an encrypted manifest was encrypted with. @throws integrity when nothing tells */
  private kmsKeyId(): string | undefined {
    const { current, search, options } = this;
    const recorded = search.found?.record.encryption;
    if (recorded?.manifest === true) return recorded.kmsKeyId;
    const sealed = current.state === 'missing' ? undefined : current.sealed;
    if (sealed === undefined || sealed.kmsKeyId !== undefined) return sealed?.kmsKeyId;
    throw integrityError(
      `uploads/${options.uploadId} cannot be repaired: its manifest is encrypted, and neither it nor a version record tells the key`,
      { hint: 'its names would be written in the clear; `zstd -dc CHUNK | tar -x` reads the chunks by hand' },
    );
  }

  private sealer(): ManifestSealer | undefined {
    const { store, uploadId, signal } = this.options;
    const kmsKeyId = this.kmsKeyId();
    return kmsKeyId === undefined ? undefined : new ManifestSealer({ store, uploadId, kmsKeyId, signal });
  }

  private async write(
    rebuilt: Rebuilt,
    sealer: ManifestSealer | undefined,
  ): Promise<Pick<RepairResult, 'manifestSha256' | 'backupKey'>> {
    const { head, totals } = rebuilt;
    const { store, uploadId, signal } = this.options;
    const plain = await composeManifest(head, rebuilt.entries());
    const manifest = sealer === undefined ? plain : await sealer.seal(plain);
    const replaced = this.current.state === 'missing' ? undefined : this.current;
    const swap = { store, uploadId, manifest, replaced, record: this.search.found, totals, signal };
    const backup = await swapManifest(swap);
    return { manifestSha256: manifest.sha256, backupKey: backup ?? null };
  }
}

function summaryOf({ head, totals, takenFrom }: Rebuilt, kmsKeyId: string | undefined): RepairResult['rebuilt'] {
  const { entries, files, bytes } = totals;
  return {
    listing: head.listing,
    chunks: head.chunks.length,
    entries,
    files,
    bytes,
    storedBytes: head.totals.storedBytes,
    encryptedBy: kmsKeyId ?? null,
    takenFrom: takenFrom ?? null,
  };
}
