// The segments of a part: what an attempt has stored, as entries and the chunks that they use.
import { mergeLevels } from '../../dataset/chain/merge-levels.js';
import { summarize } from '../../dataset/chain/summarize.js';
import { addEntries } from '../../format/manifest/compose-manifest.js';
import type { ChunkRecord, Mention, SegmentPlace, ShardRecord, Totals } from '../../format/manifest/manifest-types.js';
import { type EncodedSegment, SegmentTexts } from '../../format/manifest/segment-texts.js';
import { entriesPerSegment } from '../../format/manifest/segmented.js';
import type { Share, StoredShare } from '../../format/parts/share-documents.js';
import type { RawPath } from '../../platform/paths/raw-path.js';
import { tableLevel, type TableLevel } from '../changes/table-level.js';
import type { ManifestStrategy } from '../make-version.js';
import type { UploadRun } from '../run/upload-run.js';
import { CHANGED } from '../scan/skip.js';
import { composeShares, skipsOf } from './part-shares.js';

/** What an attempt has made of its part. */
export interface MadePart {
  /** Of the listing, and then of the shares. */
  readonly segments: readonly EncodedSegment[];
  /** Where those of the listing are. */
  readonly places: readonly SegmentPlace[];
  /** Without the shares. */
  readonly totals: Totals;
  readonly shards: readonly ShardRecord[];
  readonly chunks: readonly ChunkRecord[];
  readonly shares: readonly StoredShare[];
}

/** The shares of a part, and the entries of the whole plan: segments of all parts are of one size. */
interface PartOfPlan {
  readonly shares: readonly Share[];
  readonly entries: number;
}

/** Lists what was packed as segments, and shares in segments of their own. */
export const listAsSegments = (run: UploadRun, of: PartOfPlan): ManifestStrategy<MadePart> => ({
  hooks: { withoutEmptyChunks: true },
  list: () => async () => await composePart(run, of),
});

async function composePart(run: UploadRun, { shares, entries }: PartOfPlan): Promise<MadePart> {
  const { uploadId } = run;
  const level = retyped(tableLevel(run), hardlinkPaths(run));
  const { totals: counted, shards } = await summarize(mergeLevels([level], uploadId));
  const skipped = skipsOf(run, shares).others.filter(({ reason }) => reason !== CHANGED).length;
  const totals = { ...counted, skipped };
  const { chunks } = level;
  const texts = new SegmentTexts(entriesPerSegment(entries));
  try {
    for await (const batch of level.mentions()) await addEntries(texts, batch);
    const { segments } = await texts.finish(uploadId, chunks);
    const places = segments.map(({ place }) => place);
    const stored = await composeShares(run, shares, segments.length);
    const all = { segments: [...segments, ...stored.segments], chunks: [...chunks, ...stored.chunks] };
    return { ...all, places, totals, shards, shares: stored.shares };
  } catch (error) {
    texts.destroy();
    throw error;
  }
}

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
