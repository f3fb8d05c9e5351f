// The manifest of an upload of changes: a delta to the view that it was compared with, or a full listing of both when one
// is due.
import { composeListing, composeManifest } from '../../format/manifest/compose-manifest.js';
import { isSegmented } from '../../format/manifest/segmented.js';
import { mergeLevels } from '../../dataset/chain/merge-levels.js';
import { compactView } from '../../dataset/chain/compact-view.js';
import { summarize } from '../../dataset/chain/summarize.js';
import { levelOf, type View } from '../../dataset/chain/view.js';
import type { Level } from '../../dataset/chain/merged-view.js';
import { type LoadedManifest, namedManifest } from '../../format/manifest/loaded-manifest.js';
import type { ManifestHead, PreviousManifest } from '../../format/manifest/manifest-types.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import { type HeadInput, manifestHead } from '../commit/manifest-head.js';
import type { UploadPlan } from '../plan/plan-upload.js';
import { composeNext } from './next-segments.js';
import type { SeenEntries } from './seen-entries.js';
import type { TableLevel } from './table-level.js';
import { sealed } from '../run/upload-encryption.js';
import type { Commitment } from '../commit/commitment.js';

export interface ComposedChanges extends Pick<Commitment, 'encoded' | 'listing' | 'totals' | 'chunks'> {
  /** The manifest that a delta builds on. */
  readonly previous?: PreviousManifest;
}

export interface Base {
  readonly view: View;
  /** What a comparison has seen of the view. */
  readonly seen: SeenEntries;
  /** True to list everything instead of what differs from the view. */
  readonly isFull: boolean;
  /** True if segments of the view may be named again: all of them are in the store. */
  readonly mayShare: boolean;
}

export interface FullInput {
  readonly uploadId: UploadId;
  /** Number of paths that are left out. */
  readonly skipped: number;
  readonly mayShare: boolean;
  readonly isSealed: boolean;
  /** The chain, as far as its totals need. */
  readonly seen?: Level | undefined;
  readonly headOf: (part: Pick<ManifestHead, 'listing' | 'totals' | 'shards' | 'chunks'>) => ManifestHead;
}

/** Composes the listing of all that `chain` shows with `newer` on top of it, both newest first. @throws what reading them throws */
export async function composeFull(
  newer: readonly Level[],
  chain: readonly LoadedManifest[],
  { uploadId, skipped, mayShare, isSealed, seen, headOf }: FullInput,
): Promise<Omit<ComposedChanges, 'previous'>> {
  const merged = mergeLevels([...newer, ...chain.map(levelOf)], uploadId);
  const older = seen === undefined ? chain.map(levelOf) : [seen];
  const { totals: counted, shards, used } = await summarize(mergeLevels([...newer, ...older], uploadId));
  const full = compactView(merged, used);
  const totals = { ...counted, skipped };
  const head = headOf({ listing: 'full', totals, shards, chunks: full.chunks });
  const base = chain.at(-1);
  const isShared = mayShare && isSegmented(totals.entries, isSealed) && base?.segments !== undefined;
  const encoded = isShared
    ? await composeNext(head, base, [...newer, ...chain.slice(0, -1).map(levelOf)])
    : await composeListing(head, full.entries(), isSealed);
  return { encoded, listing: 'full', totals, chunks: full.chunks };
}

/** Composes the manifest of `level` on top of `view`, as it is to be stored (encrypted if need be). */
export async function composeChanges(
  run: HeadInput,
  plan: Pick<UploadPlan, 'shards' | 'chunkBytes'>,
  level: TableLevel,
  base: Base,
): Promise<ComposedChanges> {
  const composed = await compose(run, plan, level, base);
  return { ...composed, encoded: await sealed(run.encryption, composed.encoded) };
}

async function compose(
  run: HeadInput,
  plan: Pick<UploadPlan, 'shards' | 'chunkBytes'>,
  level: TableLevel,
  { view, seen, isFull, mayShare }: Base,
): Promise<ComposedChanges> {
  const skipped = run.scanned.skipped.length + run.ledger.leftOut;
  if (isFull) {
    const isSealed = run.encryption.sealer !== undefined;
    return await composeFull([level], view.chain, {
      uploadId: run.uploadId,
      skipped,
      mayShare,
      isSealed,
      seen: seen.level,
      headOf: (part) => manifestHead(run, plan, part),
    });
  }
  const older = seen.level === undefined ? view.chain.map(levelOf) : [seen.level];
  const { totals } = await summarize(mergeLevels([level, ...older], run.uploadId));
  const viewTotals = { ...totals, skipped };
  const own = await summarize(mergeLevels([level], run.uploadId));
  const chain = view.head.chain ?? { deltas: 0, entries: 0 };
  const previous = namedManifest(view.head.uploadId, view.chain[0]);
  const head = manifestHead(run, plan, {
    listing: 'delta',
    previous,
    chain: { deltas: chain.deltas + 1, entries: chain.entries + level.count },
    view: viewTotals,
    totals: { ...own.totals, entries: level.count, skipped },
    shards: own.shards,
    chunks: level.chunks,
  });
  const encoded = await composeManifest(head, level.mentions());
  return { encoded, listing: 'delta', totals: viewTotals, chunks: level.chunks, previous };
}
