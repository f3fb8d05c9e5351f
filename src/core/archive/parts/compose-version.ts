// The version that is made of the parts of a plan: a manifest that names the segments of all attempts that count.
import { headOfSegments } from '../../format/manifest/segmented.js';
import type { ManifestHead, ShardRecord, Totals } from '../../format/manifest/manifest-types.js';
import { shardPrefix } from '../../format/manifest/chunk-key.js';
import { chunkKey, relativeChunkKey } from '../../format/manifest/manifest-check.js';
import type { Commitment } from '../commit/commitment.js';
import type { WholePart } from './check-attempt.js';
import type { ReadPlan } from './read-plan.js';

/** The manifest of the version: it names the segments of all parts, in the order of the parts. */
export async function compose(
  { uploadId, head: planned }: ReadPlan,
  parts: readonly WholePart[],
  lookedAtMs: number,
): Promise<Commitment> {
  const { parts: _parts, options: _options, spanning: _spanning, leftOut, ...head } = planned;
  const named = <P extends { readonly key: string }>({ result }: WholePart, place: P): P => ({
    ...place,
    key: relativeChunkKey(uploadId, chunkKey(result.uploadId, place.key) ?? ''),
  });
  const chunks = parts.flatMap((part) => part.chunks.map((record) => named(part, record)));
  const places = parts.flatMap((part) => part.result.segments.map((place) => named(part, place)));
  const totals = totalsOf(parts, leftOut.count);
  const listed = { totals, shards: shardsOf(parts), chunks: [] };
  const manifest: ManifestHead = { ...head, ...listed, type: 'archiver-manifest', listing: 'full' };
  const encoded = await headOfSegments(manifest, places, []);
  return { encoded, totals, listing: 'full', chunks, lookedAtMs };
}

function totalsOf(parts: readonly WholePart[], skipped: number): Totals {
  const sum = (of: keyof Totals): number => parts.reduce((total, { result }) => total + result.totals[of], 0);
  return {
    entries: sum('entries'),
    files: sum('files'),
    directories: sum('directories'),
    symlinks: sum('symlinks'),
    hardlinks: sum('hardlinks'),
    bytes: sum('bytes'),
    storedBytes: sum('storedBytes'),
    chunks: sum('chunks'),
    skipped: sum('skipped') + skipped,
  };
}

/** Shards of all parts; those of one number count together. */
function shardsOf(parts: readonly WholePart[]): readonly ShardRecord[] {
  const sums = new Map<number, ShardRecord>();
  for (const { result } of parts) {
    for (const one of result.shards) {
      const { shard, chunks = 0, files = 0, bytes = 0, storedBytes = 0 } = sums.get(one.shard) ?? { shard: one.shard };
      sums.set(shard, {
        shard,
        prefix: shardPrefix(shard),
        chunks: chunks + one.chunks,
        files: files + one.files,
        bytes: bytes + one.bytes,
        storedBytes: storedBytes + one.storedBytes,
      });
    }
  }
  return [...sums.values()].sort((a, b) => a.shard - b.shard);
}
