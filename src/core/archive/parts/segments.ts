// The segments of a part: what an attempt has stored, as entries and the chunks that they use.
import { mergeLevels } from '../../dataset/chain/merge-levels.js';
import { summarize } from '../../dataset/chain/summarize.js';
import { addEntries } from '../../format/manifest/compose-manifest.js';
import type { ChunkRecord, Mention, ShardRecord, Totals } from '../../format/manifest/manifest-types.js';
import { type EncodedSegment, SegmentTexts } from '../../format/manifest/segment-texts.js';
import { entriesPerSegment } from '../../format/manifest/segmented.js';
import type { RawPath } from '../../platform/paths/raw-path.js';
import { tableLevel, type TableLevel } from '../changes/table-level.js';
import type { ManifestStrategy } from '../make-version.js';
import type { UploadRun } from '../run/upload-run.js';

/** What an attempt has made of its part. */
export interface MadePart {
  readonly segments: readonly EncodedSegment[];
  readonly totals: Totals;
  readonly shards: readonly ShardRecord[];
  readonly chunks: readonly ChunkRecord[];
}

/** Lists what was packed as segments. `planned` are the entries of the whole plan: segments of all parts are of one size. */
export const listAsSegments = (run: UploadRun, planned: number): ManifestStrategy<MadePart> => ({
  hooks: { withoutEmptyChunks: true },
  list: () => async () => await composePart(run, planned),
});

async function composePart(run: UploadRun, planned: number): Promise<MadePart> {
  const { uploadId, scanned, ledger } = run;
  const level = retyped(tableLevel(run), hardlinkPaths(run));
  const { totals: counted, shards } = await summarize(mergeLevels([level], uploadId));
  const totals = { ...counted, skipped: scanned.skipped.length + ledger.leftOut };
  const { chunks } = level;
  const texts = new SegmentTexts(entriesPerSegment(planned));
  try {
    for await (const batch of level.mentions()) await addEntries(texts, batch);
    const { segments } = await texts.finish(uploadId, chunks);
    return { segments, totals, shards, chunks };
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
