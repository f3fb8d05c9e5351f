// Decides what a prune does, from a fresh look at the store; writes nothing. A chunk goes when it lies in an upload that
// goes, or was a part of a version that goes, and no manifest that stays names it. Manifests that stay are those of every
// kept version of this dataset, of every version of every other one, and of uploads without a record that are not
// abandoned (a writer may be about to commit them).
import { ArchiverError } from '../../errors.js';
import type { VersionRecord } from '../../manifest/manifest-types.js';
import type { ObjectInfo, ObjectReader } from '../../object-store/object-store.js';
import { printable } from '../../raw-path.js';
import { summarize } from '../summarize.js';
import { openVersion } from '../version-view.js';
import type { ReadRecord } from '../versions.js';
import { atOnce } from '../../at-once.js';
import { readBaseState, refusal, type BaseState } from './base-state.js';
import { versionsToKeep, type KeepRules } from './keep-rules.js';
import { chunkKeysOfRemoved, sortLoose, type LooseUploads } from './loose-uploads.js';
import { MANIFESTS_AT_ONCE, manifestOfVersion, referredChunks, type ReferredChunk } from './references.js';
import { emptyFolder, type UploadFolder } from './upload-folders.js';

export interface PlanOptions {
  readonly datasetId: string;
  readonly keep: KeepRules;
  /** An upload without a record counts as abandoned when its newest object is so old. */
  readonly abandonedAfterMs: number;
  /** Of the store's clock, as far as it is known. */
  readonly now: Date;
  readonly signal: AbortSignal;
}

export interface PrunePlan {
  readonly datasetId: string;
  readonly ordinals: ReadonlySet<string>;
  /** Lowest first. */
  readonly kept: readonly ReadRecord[];
  readonly removed: readonly ReadRecord[];
  /** Kept versions whose manifest has to become a full listing. */
  readonly compacted: readonly ReadRecord[];
  /** Uploads without a record that go. */
  readonly abandoned: readonly UploadFolder[];
  readonly records: readonly ObjectInfo[];
  readonly manifests: readonly ObjectInfo[];
  readonly chunks: readonly ObjectInfo[];
  /** What killed prunes left beside kept manifests, and their journals. */
  readonly leftovers: readonly ObjectInfo[];
  readonly warnings: readonly string[];
}

/** Plans the prune. @throws not-found, conflict, integrity, unsupported: each says why nothing may be deleted */
export async function planPrune(reader: ObjectReader, options: PlanOptions): Promise<PrunePlan> {
  const { datasetId, signal } = options;
  const state = await readBaseState(reader, datasetId, signal);
  refuseEncrypted(state.own);
  const keep = versionsToKeep(
    state.own.map(({ record }) => record),
    options.keep,
  );
  const kept = state.own.filter(({ record }) => keep.has(record.version));
  const removed = state.own.filter(({ record }) => !keep.has(record.version));
  const staying = new Set([...kept, ...state.others].map(({ record }) => record.uploadId));
  const loose = await sortLoose(reader, state, options);
  const pruned = [...foldersOf(state, removed, staying), ...loose.unfinished];
  refuseUnknown(pruned);
  const folders = [...pruned, ...loose.abandoned];
  refuseBuiltUpon(loose, new Set(folders.map(({ uploadId }) => uploadId)));
  const marks = new Set(loose.referred);
  const present = chunksByKey(state);
  const compacted = await markKept(reader, { kept, present, marks, signal });
  await atOnce(state.others, MANIFESTS_AT_ONCE, async ({ record }) => {
    const { uploadId, head } = await manifestOfVersion(reader, record, signal);
    for (const { key } of referredChunks(uploadId, head.chunks)) marks.add(key);
  });
  const formerly = await chunkKeysOfRemoved(reader, removed, signal);
  return {
    datasetId,
    ordinals: state.ordinals,
    kept,
    removed,
    compacted,
    abandoned: loose.abandoned,
    records: removed.map(({ listed }) => ({ ...listed, storageClass: 'STANDARD' })),
    manifests: newestFirst(folders, removed).flatMap(({ manifest, companions }) => [
      ...companions,
      ...(manifest ? [manifest] : []),
    ]),
    chunks: unreferenced(present, folders, formerly, marks),
    leftovers: leftoversOf(state, kept),
    warnings: [...state.journals.problems, ...loose.warnings],
  };
}

/** What builds on another goes before it, so that whatever can be read at any instant can be read whole. */
function newestFirst(folders: readonly UploadFolder[], removed: readonly ReadRecord[]): UploadFolder[] {
  const versions = new Map(removed.map(({ record }) => [record.uploadId, record.version]));
  // Uploads without a version any more: their ids begin with their time.
  const rank = ({ uploadId }: UploadFolder): number => versions.get(uploadId) ?? Number.POSITIVE_INFINITY;
  return [...folders].sort((a, b) => rank(b) - rank(a) || (a.uploadId < b.uploadId ? 1 : -1));
}

function foldersOf(
  { folders }: BaseState,
  removed: readonly ReadRecord[],
  staying: ReadonlySet<string>,
): readonly UploadFolder[] {
  const ids = new Set(removed.map(({ record }) => record.uploadId).filter((uploadId) => !staying.has(uploadId)));
  return [...ids].map((uploadId) => folders.get(uploadId) ?? emptyFolder(uploadId));
}

/** An upload that may still become a version would be unreadable without what it builds on. */
function refuseBuiltUpon({ building }: LooseUploads, going: ReadonlySet<string>): void {
  for (const { uploadId, previous } of building) {
    if (!going.has(previous)) continue;
    throw new ArchiverError(
      'conflict',
      `nothing was pruned: upload ${uploadId} is not a version yet, and builds on upload ${previous}, which would go`,
      { hint: 'wait until its sync has ended; if nobody works on it, give a shorter --abandoned-after' },
    );
  }
}

function chunksByKey({ folders }: BaseState): ReadonlyMap<string, ObjectInfo> {
  const present = new Map<string, ObjectInfo>();
  for (const folder of folders.values()) for (const chunk of folder.chunks) present.set(chunk.key, chunk);
  return present;
}

/** A rewritten manifest would lie in the store unencrypted. */
function refuseEncrypted(own: readonly ReadRecord[]): void {
  const encrypted = own.find(({ record }) => record.encryption?.manifest === true);
  if (encrypted === undefined) return;
  const { datasetId, version } = encrypted.record;
  throw new ArchiverError(
    'unsupported',
    `nothing was pruned: version ${version} of dataset ${printable(datasetId)} has an encrypted manifest, and such datasets cannot be pruned`,
    { hint: 'a lifecycle rule must not expire it either: versions share chunks' },
  );
}

function refuseUnknown(folders: readonly UploadFolder[]): void {
  for (const { uploadId, unknown } of folders) {
    const [first] = unknown;
    if (first === undefined) continue;
    throw new ArchiverError(
      'unsupported',
      `nothing was pruned: upload ${uploadId} holds ${printable(first.key)}, which this archiver does not know how to prune`,
      { hint: 'keep its version, or update archiver' },
    );
  }
}

interface Marking {
  readonly kept: readonly ReadRecord[];
  readonly present: ReadonlyMap<string, ObjectInfo>;
  /** Grows. */
  readonly marks: Set<string>;
  readonly signal: AbortSignal;
}

/** Marks what kept versions refer to, and returns those that have to be compacted. @throws integrity for a missing chunk */
async function markKept(
  reader: ObjectReader,
  { kept, present, marks, signal }: Marking,
): Promise<readonly ReadRecord[]> {
  const uploads = new Set(kept.map(({ record }) => record.uploadId));
  const compacted = new Set<ReadRecord>();
  await atOnce(kept, MANIFESTS_AT_ONCE, async (found) => {
    const { uploadId, head } = await manifestOfVersion(reader, found.record, signal);
    const isCompacted = head.previous !== undefined && !uploads.has(head.previous.uploadId);
    if (isCompacted) compacted.add(found);
    const referred = isCompacted
      ? await referredByView(reader, found.record, signal)
      : referredChunks(uploadId, head.chunks);
    refuseMissing(reader, found.record, referred, present);
    for (const { key } of referred) marks.add(key);
  });
  return kept.filter((found) => compacted.has(found));
}

/** What a version refers to once its manifest lists everything. */
async function referredByView(
  reader: ObjectReader,
  record: VersionRecord,
  signal: AbortSignal,
): Promise<readonly ReferredChunk[]> {
  try {
    const view = await openVersion(reader, record, signal);
    const { used } = await summarize(view);
    return referredChunks(
      record.uploadId,
      view.chunks.filter((_, position) => used[position] === 1),
    );
  } catch (error) {
    if (error instanceof ArchiverError && ['integrity', 'unsupported', 'not-found'].includes(error.code))
      throw refusal(reader, error);
    throw error;
  }
}

/** The versions that go may hold the last good copy of what a kept one has lost. */
function refuseMissing(
  reader: ObjectReader,
  { version, uploadId, datasetId }: VersionRecord,
  referred: readonly ReferredChunk[],
  present: ReadonlyMap<string, ObjectInfo>,
): void {
  for (const { key, sizeBytes } of referred) {
    const found = present.get(key);
    if (found?.sizeBytes === sizeBytes) continue;
    const what = found === undefined ? 'is missing' : `has ${found.sizeBytes} bytes instead of ${sizeBytes}`;
    throw new ArchiverError(
      'integrity',
      `nothing was pruned: ${key} ${what}, and version ${version} of dataset ${printable(datasetId)} needs it`,
      { hint: `archiver verify ${reader.url}/uploads/${uploadId}` },
    );
  }
}

function unreferenced(
  present: ReadonlyMap<string, ObjectInfo>,
  going: readonly UploadFolder[],
  formerly: ReadonlySet<string>,
  marks: ReadonlySet<string>,
): readonly ObjectInfo[] {
  const keys = new Set([...going.flatMap(({ chunks }) => chunks.map(({ key }) => key)), ...formerly]);
  return [...keys].filter((key) => !marks.has(key)).flatMap((key) => present.get(key) ?? []);
}

function leftoversOf({ folders, journals }: BaseState, kept: readonly ReadRecord[]): readonly ObjectInfo[] {
  const beside = kept.flatMap(({ record }) => folders.get(record.uploadId)?.companions ?? []);
  return [...beside.filter(({ key }) => /\.(compact|pre-compact\.bak)$/.test(key)), ...journals.objects];
}
