// The version that is made of the parts of a plan: a manifest that names the segments of all attempts that count or, where the plan was
// compared with a version, one that lists these on top of that.
import { headOfSegments } from '../../format/manifest/segmented.js';
import type { ManifestHead, ShardRecord, Totals } from '../../format/manifest/manifest-types.js';
import { shardPrefix } from '../../format/manifest/chunk-key.js';
import { chunkKey, relativeChunkKey } from '../../format/manifest/manifest-check.js';
import type { Commitment } from '../commit/commitment.js';
import type { ManifestCache } from '../../dataset/cache/manifest-cache.js';
import { loadChain } from '../../dataset/chain/load-chain.js';
import { levelOf } from '../../dataset/chain/view.js';
import { loadOpened } from '../../format/manifest/loaded-manifest.js';
import { NO_REQUIREMENTS } from '../../format/manifest/requirements.js';
import { type ArchiverError, integrityError, isArchiverError } from '../../platform/failures/errors.js';
import type { PartResult } from '../../format/parts/part-documents.js';
import type { ObjectStore } from '../../store/object-store.js';
import { composeFull } from '../changes/compose-changes.js';
import { type FolderLooks, namedBy, type WholePart } from './check-attempt.js';
import { composeCutFiles } from './cut-files.js';
import { leftOutOfShares } from './left-out-paths.js';
import { readChanges, type ReadPlan } from './read-plan.js';

export interface ComposeInput {
  readonly store: ObjectStore;
  readonly looks: FolderLooks;
  readonly cache: ManifestCache | undefined;
  readonly signal: AbortSignal;
}

/** The manifest of the version. @throws integrity where something that it would name is not whole; what reading that throws */
export async function compose(input: ComposeInput, plan: ReadPlan, parts: readonly WholePart[]): Promise<Commitment> {
  const { looks } = input;
  const own = await composeParts(input, plan, parts);
  if (plan.head.base === undefined) return { ...own, lookedAtMs: looks.lookedAtMs };
  const made = await composeOnBase(input, plan, own);
  const named = [...(made.encoded.segments?.places ?? []), ...made.chunks].filter(({ key }) => key.startsWith('../'));
  const lost = await looks.lostOf(namedBy(plan.uploadId, named));
  if (lost !== undefined) throw baseLost(plan, lost);
  return { ...made, lookedAtMs: looks.lookedAtMs };
}

/** The head of the version, without what depends on its entries. */
const headOf = ({
  head: { parts: _parts, options: _options, spanning: _spanning, leftOut: _leftOut, base: _base, ...head },
}: ReadPlan) => ({
  ...head,
  type: 'archiver-manifest' as const,
  listing: 'full' as const,
  requires: NO_REQUIREMENTS,
});

/** The manifest of what was packed: it names the segments of all parts, in the order of the parts, and its own of files in several. */
async function composeParts(
  { store, signal }: ComposeInput,
  plan: ReadPlan,
  parts: readonly WholePart[],
): Promise<Commitment> {
  const { uploadId } = plan;
  const named = <P extends { readonly key: string }>({ result }: WholePart, place: P): P => ({
    ...place,
    key: relativeChunkKey(uploadId, chunkKey(result.uploadId, place.key) ?? ''),
  });
  const head: ManifestHead = { ...headOf(plan), shards: [], chunks: [] };
  const cut = await composeCutFiles({ reader: store, head, signal }, plan, parts);
  const own = [...cut.segments.values()];
  const chunks = [...parts.flatMap((part) => part.chunks.map((record) => named(part, record))), ...cut.chunks];
  const places = parts.flatMap((part) => [
    ...[cut.segments.get(part.result.part)?.place ?? []].flat(),
    ...part.result.segments.map((place) => named(part, place)),
  ]);
  const results = parts.map(({ result }) => result);
  const totals = totalsOf([...results, cut], plan.head.leftOut.count + leftOutOfShares(results).count);
  const shards = shardsOf([...results, cut]);
  return { encoded: await headOfSegments({ ...head, totals, shards }, places, own), totals, listing: 'full', chunks };
}

/** The manifest of the version that the plan was compared with, with what has changed. */
async function composeOnBase(
  { store, cache, signal }: ComposeInput,
  plan: ReadPlan,
  { encoded: { bytes, sha256, segments }, totals: { skipped } }: Commitment,
): Promise<Commitment> {
  const { uploadId } = plan;
  const changes = await loadOpened(
    uploadId,
    { bytes: await readChanges(store, plan, signal) },
    plan.head.base?.sha256 ?? '',
  );
  const chain = await loadChain(store, changes, { cache, signal }).catch((error: unknown) => {
    throw isArchiverError(error, 'integrity', 'not-found') ? baseLost(plan, error.message) : error;
  });
  // Its own segments are in no store: the listing has what they say.
  const own = new Map(segments?.own.map((one) => [one.place.sha256, { bytes: one.bytes }]));
  const unsent = { get: (digest: string) => Promise.resolve(own.get(digest)), put: () => Promise.resolve() };
  const packed = await loadOpened(uploadId, { bytes }, sha256, { reader: store, cache: unsent, signal });
  const made = await composeFull([levelOf(packed)], chain, {
    uploadId,
    skipped,
    mayShare: true,
    isSealed: false,
    headOf: (part) => ({ ...headOf(plan), ...part }),
  });
  return { ...made, hasCopy: true };
}

const baseLost = ({ head: { datasetId, base } }: ReadPlan, why: string): ArchiverError =>
  integrityError(
    `version ${base?.version} of dataset ${datasetId}, which the plan builds on, is not whole any more: ${why}`,
    {
      hint: 'plan the folder again: what is stored of it is found by that, the parts of this plan are not',
    },
  );

type Summed = Pick<PartResult, 'totals' | 'shards'>;

function totalsOf(all: readonly Summed[], skipped: number): Totals {
  const sum = (of: keyof Totals): number => all.reduce((total, { totals }) => total + totals[of], 0);
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

/** Shards of all; those of one number count together. */
function shardsOf(all: readonly Summed[]): readonly ShardRecord[] {
  const sums = new Map<number, ShardRecord>();
  for (const { shards } of all) {
    for (const one of shards) {
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
