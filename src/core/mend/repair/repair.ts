// Repairs the manifest of an upload (rules.md#same-view, rules.md#thorough-repair). Copies of it are searched for before anything is
// rebuilt; chunks of every upload that may belong to it are checked before anything is called lost; versions that build on it are made
// independent before its view changes. Nothing is written before everything is known, nothing is ever deleted, and a sound manifest keeps
// its view. After an interruption at any point, the next run comes to the same result.
import { changeRecord } from '../../dataset/records/change-record.js';
import { openView } from '../../dataset/chain/view.js';
import { integrityError, isArchiverError } from '../../platform/failures/errors.js';
import { indexOf, type LoadedManifest } from '../../format/manifest/loaded-manifest.js';
import { type CurrentManifest, readCurrentManifest } from './current-manifest.js';
import { findDependents } from './dependents.js';
import { findExactCopy, opensAs } from './exact-copy.js';
import { type FoundRecord, RecordSearch } from './find-record.js';
import { findBrokenVersions, type NewBase, type Rebased, rebaseAll } from './rebase.js';
import { findListing } from './find-listing.js';
import { type FolderObjects, listFolder } from './folder-objects.js';
import { SegmentMending } from './mend-segments.js';
import { SegmentBase } from './segment-base.js';
import { digestsIn } from '../../dataset/records/recorded-digests.js';
import { DamagedRepair } from './repair-damaged.js';
import type { RepairOptions, RepairResult } from './repair-result.js';
import { manifestKeyOf, type UploadId, uploadUrlOf } from '../../store/ids/upload-id.js';
import { refuseShared } from '../../store/plain-store.js';

type Sound = Exclude<CurrentManifest, { state: 'missing' }>;

/** Repairs an upload. @throws integrity when nothing can be rebuilt, and errors of the store */
export async function repairUpload(options: RepairOptions): Promise<RepairResult> {
  const { store, uploadId, execute, cache, signal } = options;
  const [current, search] = await Promise.all([
    readCurrentManifest(store, uploadId, signal),
    RecordSearch.of(store, uploadId, signal),
  ]);
  // A version committed in spite of the sweep may be repaired from what is left; an upload without one has nothing left.
  const isNamed = search.found !== undefined || search.unreadable > 0;
  if (current.state === 'missing' && current.swept !== undefined && !isNamed) throw current.swept;
  const damage = damageOf(current, search.found);
  if (damage === null && current.state === 'sound' && !options.force)
    return await settleSound(options, current, search);
  if (execute) refuseShared(store, 'replacing a manifest');
  const mending = new SegmentMending({ store, cache, found: search.found, execute, signal });
  return await withSegmentsBack(options, { current, search, damage, mending });
}

interface Found {
  readonly current: CurrentManifest;
  readonly search: RecordSearch;
  readonly damage: string | null;
  readonly mending: SegmentMending;
}

/** Puts segments back before anything else, which may be all that is needed. @throws as `repairUpload` */
async function withSegmentsBack(options: RepairOptions, found: Found): Promise<RepairResult> {
  const { store, uploadId, execute, signal } = options;
  const { current, search, damage, mending } = found;
  const objects = await listFolder(store, uploadId, signal);
  const head = damage === null ? undefined : await headOfListing(options, found, objects);
  const lost = head === undefined ? [] : await mending.mend(head.head);
  const base = head && (await SegmentBase.open(store, head, lost, { mending, signal }));
  const now = mending.keys.length === 0 ? current : await readCurrentManifest(store, uploadId, signal, mending);
  const result =
    now.state === 'sound' && damageOf(now, search.found) === null && damage !== null
      ? await settleSound(options, now, search)
      : await new DamagedRepair(options, { current: now, search, damage, objects, mending, base }).run();
  // Lost segments that could be encoded again as they were are in place now.
  if (result === undefined) return await withSegmentsBack(options, { ...found, current: now });
  if (mending.keys.length === 0) return result;
  return {
    ...result,
    status: execute ? 'repaired' : 'repairable',
    damage: result.damage ?? damage,
    parts: [...mending.parts, ...result.parts],
    segmentKeys: [...mending.keys, ...result.segmentKeys],
  };
}

/** The manifest that names the segments of the upload, as it was recorded: in its place, or a copy of it. */
async function headOfListing(
  options: RepairOptions,
  { current, search }: Found,
  objects: FolderObjects,
): Promise<LoadedManifest | undefined> {
  const { store, uploadId, cache, signal } = options;
  const { beside } = objects;
  const here = current.state === 'missing' ? undefined : current.loaded;
  const { record } = search.found ?? {};
  const digests = record === undefined ? [] : digestsIn(record);
  const isRecorded = here !== undefined && (record === undefined || digests.includes(here.sha256));
  const copy = isRecorded
    ? undefined
    : await findExactCopy(store, { uploadId, digests, beside, cache, mending: undefined, signal });
  const found = copy?.loaded ?? (isRecorded ? here : undefined) ?? (await findListing(options, search, objects));
  return found?.head.segments === undefined || found.sealedBy !== undefined ? undefined : found;
}

/** Describes the damage; null when the manifest is sound and the recorded one. */
function damageOf(current: CurrentManifest, found: FoundRecord | undefined): string | null {
  if (current.state === 'missing') return 'there is no manifest';
  if (current.state === 'damaged') return current.reason;
  if (found === undefined) return null;
  const { manifestSha256, replacementSha256 } = found.record;
  if (current.sha256 === manifestSha256 || current.sha256 === replacementSha256) return null;
  return `it is sound, but not the manifest that the version record names (its SHA-256 is ${current.sha256})`;
}

/** Finishes what another run left in the record, and makes versions independent when this manifest is not the one they name. */
async function settleSound(options: RepairOptions, current: Sound, search: RecordSearch): Promise<RepairResult> {
  const { store, uploadId, execute, signal } = options;
  const { sha256, head } = current;
  const { found } = search;
  const isUnfinished = found !== undefined && found.record.manifestSha256 !== sha256;
  // A prune that was killed may have made it a full listing.
  const lists = head === undefined ? {} : { listing: head.listing, totals: head.view ?? head.totals };
  if (isUnfinished && execute) {
    const expected = [found.record.manifestSha256, sha256];
    const manifestIndex = current.loaded && indexOf(current.loaded);
    await changeRecord(store, found, { manifestSha256: sha256, manifestIndex, ...lists }, { expected, signal });
  }
  const rebased = await mendChains(options, current, search);
  const status = isUnfinished ? (execute ? 'finished' : 'unfinished') : 'sound';
  return {
    uploadId,
    status: rebased.length === 0 ? status : execute ? 'repaired' : 'repairable',
    damage: rebased.length === 0 ? null : 'versions build on another manifest than the one that is there',
    version: found === undefined ? null : { datasetId: found.record.datasetId, version: found.record.version },
    rebuilt: null,
    parts: [],
    isProven: true,
    rebased,
    readBytes: 0,
    lost: [],
    unknown: [],
    manifestKey: manifestKeyOf(uploadId),
    segmentKeys: [],
    manifestSha256: isUnfinished && execute ? sha256 : null,
    backupKey: null,
  };
}

/** Makes versions independent that no reader can open because the manifest that they build on is sound but not the one they name. */
async function mendChains(
  { store, uploadId, cache, execute, signal }: RepairOptions,
  { loaded }: Sound,
  search: RecordSearch,
): Promise<readonly Rebased[]> {
  if (loaded === undefined || search.found === undefined) return [];
  const { head } = loaded;
  const opens = await opensAs(store, loaded, head.view ?? head.totals, signal);
  const below = opens ? undefined : head.previous?.uploadId;
  const newer = below === undefined ? search.newer : [search.found, ...search.newer];
  const { building } = await findDependents(store, { uploadId: below ?? uploadId, newer, cache, signal });
  const broken = await findBrokenVersions(store, building, signal);
  if (broken.length === 0) return [];
  const base = below === undefined ? await baseOf(store, uploadId, [], signal) : await baseBelow(store, below);
  return await rebaseAll(store, broken, { base, execute, signal });

  async function baseBelow(reader: typeof store, previous: UploadId): Promise<NewBase> {
    const recorded = (await search.older()).find((older) => older.uploadId === previous);
    try {
      return await baseOf(reader, previous, recorded?.sha256 ?? [], signal);
    } catch (error) {
      if (!isArchiverError(error, 'integrity', 'not-found')) throw error;
      throw integrityError(`${manifestKeyOf(uploadId)} is sound, but builds on another that is not: ${error.message}`, {
        cause: error,
        hint: `repair that one first: archiver repair ${uploadUrlOf(reader.url, previous)}`,
      });
    }
  }
}

async function baseOf(
  store: RepairOptions['store'],
  uploadId: UploadId,
  sha256: readonly string[],
  signal: AbortSignal,
): Promise<NewBase> {
  const view = await openView(store, { uploadId, sha256, signal });
  const sealed = view.chain.find(({ sealedBy }) => sealedBy !== undefined);
  return { uploadId, view, kmsKeyId: sealed?.sealedBy };
}
