// The manifest of an upload of changes: a delta to the view that it was compared with, or a full listing of both when one
// is due.
import { composeListing, composeManifest } from '../../format/manifest/compose-manifest.js';
import { isSegmented } from '../../format/manifest/segmented.js';
import { mergeLevels } from '../../dataset/chain/merge-levels.js';
import { compactView } from '../../dataset/chain/compact-view.js';
import { summarize } from '../../dataset/chain/summarize.js';
import { levelOf, type View } from '../../dataset/chain/view.js';
import { namedManifest } from '../../format/manifest/loaded-manifest.js';
import type { PreviousManifest } from '../../format/manifest/manifest-types.js';
import { type HeadInput, manifestHead } from '../commit/manifest-head.js';
import type { UploadPlan } from '../plan/plan-upload.js';
import { composeNext } from './next-segments.js';
import type { TableLevel } from './table-level.js';
import { sealed } from '../run/upload-encryption.js';
import type { Commitment } from '../commit/commitment.js';

export interface ComposedChanges extends Pick<Commitment, 'encoded' | 'listing' | 'totals' | 'chunks'> {
  /** The manifest that a delta builds on. */
  readonly previous?: PreviousManifest;
}

export interface Base {
  readonly view: View;
  /** True to list everything instead of what differs from the view. */
  readonly isFull: boolean;
  /** True if segments of the view may be named again: all of them are in the store. */
  readonly mayShare: boolean;
}

/** Composes the manifest of `level` on top of `view`, as it is to be stored (encrypted if need be). */
export async function composeChanges(
  run: HeadInput,
  plan: UploadPlan,
  level: TableLevel,
  base: Base,
): Promise<ComposedChanges> {
  const composed = await compose(run, plan, level, base);
  return { ...composed, encoded: await sealed(run.encryption, composed.encoded) };
}

async function compose(
  run: HeadInput,
  plan: UploadPlan,
  level: TableLevel,
  { view, isFull, mayShare }: Base,
): Promise<ComposedChanges> {
  const skipped = run.scanned.skipped.length + run.ledger.leftOut;
  const merged = mergeLevels([level, ...view.chain.map(levelOf)], run.uploadId);
  const { totals, shards, used } = await summarize(merged);
  const viewTotals = { ...totals, skipped };
  if (isFull) {
    const full = compactView(merged, used);
    const part = { listing: 'full', totals: viewTotals, shards, chunks: full.chunks } as const;
    const head = manifestHead(run, plan, part);
    const base = view.chain.at(-1);
    const isSealed = run.encryption.sealer !== undefined;
    const isShared = mayShare && isSegmented(totals.entries, isSealed) && base?.segments !== undefined;
    const encoded = isShared
      ? await composeNext(head, base, [level, ...view.chain.slice(0, -1).map(levelOf)])
      : await composeListing(head, full.entries(), isSealed);
    return { encoded, listing: 'full', totals: viewTotals, chunks: full.chunks };
  }
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
