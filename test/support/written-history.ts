// Writes the histories of chain-model.ts as manifests, and as version records.
import { composeNext } from '../../src/core/archive/changes/next-segments.js';
import { levelOf, openView } from '../../src/core/dataset/chain/view.js';
import { mergeLevels } from '../../src/core/dataset/chain/merge-levels.js';
import { encodeVersionRecord, recordKey } from '../../src/core/dataset/records/version-record.js';
import { addEntries, composeManifest } from '../../src/core/format/manifest/compose-manifest.js';
import { manifestIndexOf } from '../../src/core/format/manifest/manifest-index.js';
import type { ManifestLayout } from '../../src/core/format/manifest/manifest-text.js';
import type {
  ManifestHead,
  Mention,
  PreviousManifest,
  Totals,
  VersionRecord,
} from '../../src/core/format/manifest/manifest-types.js';
import type { EncodedManifest } from '../../src/core/format/manifest/encoded-manifest.js';
import { SegmentTexts } from '../../src/core/format/manifest/segment-texts.js';
import { segmentedManifest } from '../../src/core/format/manifest/segmented.js';
import type { Version } from './chain-model.js';
import { memoryReader } from './memory-reader.js';
import { raw } from './raw.js';

const HEAD = {
  format: 1,
  type: 'archiver-manifest',
  requires: [],
  tool: 't',
  codec: 'c',
  createdAt: 'now',
  datasetId: 'd',
  storage: {},
  shards: [],
  source: { path: raw('/s'), host: 'h', mode: 0, mtime: { seconds: 0, nanos: 0 }, uid: 0, gid: 0 },
  settings: {
    shardStrategy: 's',
    shardCount: 1,
    frameSize: 0,
    chunkSize: 1,
    fileChecksums: true,
    compression: { algorithm: 'zstd', level: 3 },
  },
} as const;

/** Entries of a segment that is not made of others. */
const SEGMENT = 2;

export interface WrittenHistory {
  readonly objects: Map<string, Buffer>;
  /** Of the newest manifest. */
  readonly newest: PreviousManifest;
  /** Of all versions, oldest first. */
  readonly records: readonly VersionRecord[];
}

/**
 * The manifests of a history of at least one version, each on the one before. Versions for which `isSegmented` is true are full listings in
 * segments, which they share where they can.
 */
export async function writtenHistory(
  history: readonly Version[],
  layout: ManifestLayout = {},
  isSegmented: (version: number) => boolean = () => false,
): Promise<WrittenHistory> {
  const objects = new Map<string, Buffer>();
  const records: VersionRecord[] = [];
  let previous: PreviousManifest | undefined;
  for (const [version, { level, view }] of history.entries()) {
    const inView = countsOf([...view.values()].map(({ entry }) => entry));
    const isListing = isSegmented(version);
    const totals = isListing ? inView : countsOf(level.mentions);
    const isDelta = previous !== undefined && !isListing;
    const delta = previous !== undefined && isDelta && { previous, chain: { deltas: 1, entries: 1 }, view: inView };
    const head: ManifestHead = {
      ...HEAD,
      uploadId: level.uploadId,
      chunks: level.chunks,
      listing: isDelta ? 'delta' : 'full',
      ...delta,
      totals,
    };
    const { bytes, sha256, segments } = isListing
      ? await inSegments(head, level, objects, previous)
      : await composeManifest(head, batchesOf(level.mentions), layout);
    objects.set(`uploads/${level.uploadId}/manifest.json.gz`, bytes);
    const index = segments === undefined ? manifestIndexOf(bytes) : { size: bytes.length, sha256 };
    previous = { uploadId: level.uploadId, sha256, ...(index && { index }) };
    records.push(recordOf(version + 1, head, inView, previous));
  }
  if (previous === undefined) throw new Error('a history has a version');
  return { objects, newest: previous, records };
}

/** The objects of a history with those of its records. */
export function withRecords({ objects, records }: WrittenHistory): Map<string, Buffer> {
  const all = new Map(objects);
  for (const { digest: _digest, ...record } of records)
    all.set(recordKey({ datasetId: record.datasetId, version: record.version }), encodeVersionRecord(record));
  return all;
}

/** A listing in segments, which are put. */
async function inSegments(
  head: ManifestHead,
  level: Version['level'],
  objects: Map<string, Buffer>,
  previous: PreviousManifest | undefined,
): Promise<EncodedManifest> {
  const encoded = await composed(head, level, objects, previous);
  for (const { place, bytes } of encoded.segments?.own ?? [])
    objects.set(`uploads/${head.uploadId}/${place.key}`, bytes);
  return encoded;
}

async function composed(
  head: ManifestHead,
  { uploadId, chunks, mentions }: Version['level'],
  objects: ReadonlyMap<string, Buffer>,
  previous: PreviousManifest | undefined,
): Promise<EncodedManifest> {
  const own = { uploadId, chunks, mentions: () => batchesOf(mentions) };
  const chain = previous === undefined ? [] : (await openView(memoryReader(objects), previous)).chain;
  const base = chain.at(-1);
  if (base?.segments !== undefined && base.segments.length > 0 && head.totals.entries > 0)
    return await composeNext(head, base, [own, ...chain.slice(0, -1).map(levelOf)]);
  const merged = mergeLevels([own, ...chain.map(levelOf)], uploadId);
  const texts = new SegmentTexts(SEGMENT);
  for await (const batch of merged.entries()) await addEntries(texts, batch);
  return await segmentedManifest(head, await texts.finish(uploadId, merged.chunks), texts.linkGroups);
}

function recordOf(
  version: number,
  { datasetId, uploadId, listing }: ManifestHead,
  totals: Totals,
  { sha256, index }: PreviousManifest,
): VersionRecord {
  return {
    format: 1,
    type: 'archiver-version',
    datasetId,
    version,
    uploadId,
    manifestKey: `uploads/${uploadId}/manifest.json.gz`,
    manifestSha256: sha256,
    ...(index && { manifestIndex: index }),
    createdAt: '2026-01-01T00:00:00.000Z',
    listing,
    previous: version === 1 ? null : version - 1,
    source: { path: '/s', host: 'h' },
    totals,
    digest: '',
  };
}

function countsOf(mentions: readonly Mention[]): Totals {
  const count = (type: string): number => mentions.filter((mention) => mention.type === type).length;
  const directories = count('directory');
  const bytes = mentions.reduce((sum, mention) => sum + (mention.type === 'deleted' ? 0 : mention.size), 0);
  const kinds = { directories, symlinks: count('symlink'), hardlinks: count('hardlink') };
  const files = mentions.length - directories - count('deleted');
  return { entries: mentions.length, files, ...kinds, bytes, storedBytes: 0, chunks: 0, skipped: 0 };
}

export async function* batchesOf<T>(all: readonly T[]): AsyncGenerator<readonly T[]> {
  yield await Promise.resolve(all);
}
