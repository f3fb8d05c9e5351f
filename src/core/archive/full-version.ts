// Makes versions that list everything. A plain upload takes the first ordinal that is free. A sync whose dataset had no version takes the
// first one and no other: if another writer takes it, the sync must be compared with the version that won, or what only that one has would
// be missing from the next (rules.md#full-listings).
import { mergeLevels } from '../dataset/chain/merge-levels.js';
import { summarize } from '../dataset/chain/summarize.js';
import { ArchiverError } from '../platform/failures/errors.js';
import { composeListing } from '../format/manifest/compose-manifest.js';
import type { ChunkRecord, ShardRecord, Totals } from '../format/manifest/manifest-types.js';
import { type EncodedManifest } from '../format/manifest/encoded-manifest.js';
import { ManifestWriter } from '../format/manifest/manifest-writer.js';
import { tableLevel } from './changes/table-level.js';
import type { Commitment } from './commit/commitment.js';
import { type HeadInput, manifestHead } from './commit/manifest-head.js';
import type { UploadRun } from './run/upload-run.js';
import { type ManifestStrategy, makeVersion } from './make-version.js';
import { afterStale } from './under-new-id.js';
import type { HeadStart } from './pack/head-start.js';
import type { UploadPlan } from './plan/plan-upload.js';
import { sealed } from './run/upload-encryption.js';
import { lineSources } from './run/upload-provenance.js';
import { dryRunResult, measured, type UploadResult, versionResult } from './upload-result.js';
import { defined } from '../platform/defined.js';

/** The highest ordinal that is known; 0 for none. */
export interface HighestOrdinal {
  readonly highest: number;
  /** False for a writer without permission to list. */
  readonly isListed: boolean;
}

const NOTHING_BEFORE = {
  modified: 0,
  deleted: 0,
  unchanged: 0,
  gone: 0,
  noChanges: false,
  comparedWith: 'none',
} as const;

/** `lost`: another writer took the ordinal; what was sent stays, and writing the manifest was attempted. */
export type FullOutcome = { readonly result: UploadResult } | { readonly lost: UploadRun };

/** Makes the version that `strategy` lists, and sends again what was lost meanwhile. @throws as `archiveFolder` does */
export async function makeFullVersion(
  run: UploadRun,
  strategy: ManifestStrategy,
  ordinal: HighestOrdinal,
  started?: HeadStart,
  /** How what was lost meanwhile is packed again. */
  listAgain: (run: UploadRun) => ManifestStrategy = listAfterPacking,
): Promise<FullOutcome> {
  const { highest, isListed } = ordinal;
  const { changes, after } = run.dataset;
  const isSync = changes !== undefined;
  const isExact = (isSync && isListed) || after !== undefined;
  const made = await makeVersion(run, strategy, { version: highest + 1, isExact }, started);
  if (made.state === 'planned') return { result: plannedResult(run, made.plan, isSync) };
  if (made.state === 'taken') return { lost: run };
  if (made.state === 'stale') {
    const again = await afterStale(run, made.stale);
    const from = { highest: made.stale.version ?? highest, isListed };
    return await makeFullVersion(again, listAgain(again), from, undefined, listAgain);
  }
  if (made.state !== 'committed') throw new ArchiverError('internal', 'a full version has nothing to list');
  const { plan, version, fork, totals } = made;
  const { files, bytes, storedBytes, chunks } = totals;
  const counts = { ...NOTHING_BEFORE, added: files };
  const seen = measured(run, plan.pending);
  const parts = {
    version,
    ...defined({ fork }),
    files,
    bytes,
    storedBytes,
    chunks,
    shards: plan.shards,
    measured: seen,
  };
  return { result: versionResult(run, { ...parts, ...(isSync ? { changes: counts } : {}) }) };
}

/** Result of a dry run; for a sync, everything is new. */
function plannedResult(run: UploadRun, plan: UploadPlan, isSync: boolean): UploadResult {
  if (!isSync) return dryRunResult(run, plan);
  return dryRunResult(run, plan, { changes: { ...NOTHING_BEFORE, added: run.scanned.files } });
}

interface Listed {
  readonly totals: Totals;
  readonly shards: readonly ShardRecord[];
  readonly chunks: readonly ChunkRecord[];
}

const isSealed = ({ encryption }: Pick<HeadInput, 'encryption'>): boolean => encryption.sealer !== undefined;

/** Starts writing a manifest of these totals at once, with entries that come from `write`. */
function begin(
  run: HeadInput,
  plan: UploadPlan,
  { totals, shards, chunks }: Listed,
  write: (head: ReturnType<typeof manifestHead>) => Promise<EncodedManifest>,
): () => Promise<Commitment> {
  const head = manifestHead(run, plan, { listing: 'full', totals, shards, chunks });
  const encoded = write(head).then((manifest) => sealed(run.encryption, manifest));
  encoded.catch(() => undefined); // awaited when everything is sent
  return async () => ({ totals, chunks, listing: 'full', encoded: await encoded });
}

/** For uploads of which this run packs everything: the manifest is written while later entries are being packed. */
export function listWhilePacking(run: HeadInput): ManifestStrategy {
  const { ledger, scanned, labels } = run;
  const manifest = new ManifestWriter(ledger.table, lineSources(labels.provenance), ledger.extras, isSealed(run));
  let begun: (() => Promise<Commitment>) | undefined;
  const list = (plan: UploadPlan): (() => Promise<Commitment>) => {
    const totals = ledger.totals(scanned.skipped.length);
    const listed = { totals, shards: ledger.shards(), chunks: ledger.chunks() };
    return begin(run, plan, listed, (head) => manifest.finish(head));
  };
  return {
    hasScannedOnly: true,
    hooks: { manifest, onAllPacked: (plan) => void (begun = list(plan)) },
    list: (plan) => begun ?? list(plan), // if nothing was packed, or in more than one round
  };
}

/**
 * For uploads of which something is stored already: that stays where it is, the rest is packed, and the manifest lists both. It cannot be
 * written along the way, since chunks that nothing refers to any more must not be in it. Direct uploads use it, too: numbers of files that
 * could not be read stay unused.
 */
export function listAfterPacking(run: HeadInput & Pick<UploadRun, 'resumed' | 'emit'>): ManifestStrategy {
  const { ledger, scanned, uploadId, resumed, emit } = run;
  return {
    hasScannedOnly: true,
    hooks: { withoutEmptyChunks: true },
    onPending: (pending) => {
      const stored = Math.max(0, scanned.files - pending.files);
      if (resumed !== undefined)
        emit({ type: 'note', text: `${stored} of ${scanned.files} files are in the store already` });
      return pending;
    },
    list: (plan) => async () => {
      const level = tableLevel(run);
      const { totals: counted, shards } = await summarize(mergeLevels([level], uploadId));
      const totals = { ...counted, skipped: scanned.skipped.length + ledger.leftOut };
      const listed = { totals, shards, chunks: level.chunks };
      return await begin(run, plan, listed, (head) => composeListing(head, level.mentions(), isSealed(run)))();
    },
  };
}
