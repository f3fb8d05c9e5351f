// The segments of a part: what an attempt has stored, as entries and the chunks that they use.
import { hash } from 'node:crypto';
import { mergeLevels } from '../../dataset/chain/merge-levels.js';
import { summarize } from '../../dataset/chain/summarize.js';
import { composeManifest } from '../../format/manifest/compose-manifest.js';
import { loadOpened, readLoaded } from '../../format/manifest/loaded-manifest.js';
import type { ChunkRecord, Entry, Mention, ShardRecord, Totals } from '../../format/manifest/manifest-types.js';
import { integrityError } from '../../platform/failures/errors.js';
import { bytesOf, printable, type RawPath, TOP } from '../../platform/paths/raw-path.js';
import type { ObjectReader } from '../../store/object-store.js';
import { readAll } from '../../store/read-content.js';
import { uploadFolder, type UploadId } from '../../store/ids/upload-id.js';
import { tableLevel, type TableLevel } from '../changes/table-level.js';
import { manifestHead } from '../commit/manifest-head.js';
import type { ManifestStrategy } from '../make-version.js';
import type { UploadPlan } from '../plan/plan-upload.js';
import type { UploadRun } from '../run/upload-run.js';
import type { SegmentPlace } from './part-documents.js';
import { partText } from './part-keys.js';

/** A segment that is to be put. */
export interface EncodedSegment {
  readonly place: SegmentPlace;
  readonly bytes: Buffer;
}

/** What an attempt has made of its part. */
export interface MadePart {
  readonly segments: readonly EncodedSegment[];
  readonly totals: Totals;
  readonly shards: readonly ShardRecord[];
  readonly chunks: readonly ChunkRecord[];
}

/** Lists what was packed as segments. */
export const listAsSegments = (run: UploadRun): ManifestStrategy<MadePart> => ({
  hooks: { withoutEmptyChunks: true },
  list: (plan) => async () => await composePart(run, plan),
});

async function composePart(run: UploadRun, plan: UploadPlan): Promise<MadePart> {
  const { uploadId, scanned, ledger } = run;
  const level = retyped(tableLevel(run), hardlinkPaths(run));
  const { totals: counted, shards } = await summarize(mergeLevels([level], uploadId));
  const totals = { ...counted, skipped: scanned.skipped.length + ledger.leftOut };
  const { chunks } = level;
  if (level.count === 0) return { segments: [], totals, shards, chunks };
  const head = manifestHead(run, plan, { listing: 'full', totals, shards, chunks });
  const { bytes, sha256 } = await composeManifest(head, level.mentions());
  let first: RawPath = TOP;
  for (let index = ledger.table.count - 1; index >= 0; index--)
    if (isStored(run, index)) first = ledger.table.path(index);
  const key = `manifest/${partText(0)}-${sha256.slice(0, 8)}.json.gz`;
  const place = { key, size: bytes.length, sha256, totals, first: bytesOf(first).toString('base64') };
  return { segments: [{ place, bytes }], totals, shards, chunks };
}

const isStored = ({ ledger }: UploadRun, index: number): boolean => (ledger.table.columns.chunk[index] ?? -1) >= 0;

const hardlinkPaths = ({ scanned: { hardlinks = [] }, ledger }: UploadRun): ReadonlySet<RawPath> =>
  new Set(hardlinks.map((index) => ledger.table.path(index)));

/** The level with files as hard links where their group's first file lies in another part. */
function retyped(level: TableLevel, hardlinks: ReadonlySet<RawPath>): TableLevel {
  if (hardlinks.size === 0) return level;
  const typed = (mention: Mention): Mention =>
    mention.type === 'file' && hardlinks.has(mention.path) ? { ...mention, type: 'hardlink' } : mention;
  return {
    ...level,
    mentions: async function* () {
      for await (const batch of level.mentions()) yield batch.map(typed);
    },
  };
}

/** A segment as it was read. */
export interface ReadSegment {
  readonly chunks: readonly ChunkRecord[];
  entries(): AsyncIterable<readonly Entry[]>;
}

/** Reads a segment of an attempt. @throws integrity unless it is the one that was named; what the store throws */
export async function readSegment(
  reader: ObjectReader,
  attempt: UploadId,
  { key, size, sha256 }: SegmentPlace,
  signal: AbortSignal,
): Promise<ReadSegment> {
  const full = uploadFolder(attempt) + key;
  const bytes = await readAll(await reader.get(full, { signal }), size);
  if (hash('sha256', bytes, 'hex') !== sha256)
    throw integrityError(`${printable(full)} is not the segment that its result names`);
  const loaded = await loadOpened(attempt, { bytes }, sha256);
  return {
    chunks: loaded.head.chunks,
    entries: async function* () {
      for await (const batch of readLoaded(loaded)) yield batch.filter(isEntry);
    },
  };
}

const isEntry = (line: object): line is Entry => 'type' in line && line.type !== 'deleted';
