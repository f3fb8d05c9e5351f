// What has become of a plan: the head that a commit has put, and the version that names it (rules.md#one-commit).
import { digestsOf } from '../../dataset/chain/version-view.js';
import { loadExpected } from '../../dataset/chain/load-chain.js';
import type { StoredPlace } from '../../dataset/check-references.js';
import { listOrdinals, readOrdinals } from '../../dataset/records/versions.js';
import { encodedManifest } from '../../format/manifest/encoded-manifest.js';
import { SweptUpload } from '../../format/manifest/fence.js';
import { fetchManifest, loadOpened } from '../../format/manifest/loaded-manifest.js';
import type { Totals, VersionRecord } from '../../format/manifest/manifest-types.js';
import { ArchiverError, isArchiverError } from '../../platform/failures/errors.js';
import { defined } from '../../platform/defined.js';
import { folderOfKey, manifestKeyOf } from '../../store/ids/upload-id.js';
import type { ObjectStore } from '../../store/object-store.js';
import { notWhole } from '../commit/commit-checks.js';
import type { Commitment } from '../commit/commitment.js';
import { FolderLooks, namedBy } from './check-attempt.js';
import type { ReadPlan } from './read-plan.js';

export interface MadeVersion {
  readonly version: number;
  readonly fork?: string;
  readonly totals: Totals;
  readonly isAlready: boolean;
}

/** The folders in which what a head of the plan names lies. */
export const foldersOf = ({ uploadId }: ReadPlan, places: readonly StoredPlace[]): ReadonlySet<string> =>
  new Set(namedBy(uploadId, places).map(({ key }) => folderOfKey(key)));

/**
 * The head that another commit has put at the plan's key, to go on with exactly that one; undefined where there is none.
 * @throws conflict for a fence; integrity, what the store throws
 */
export async function committedHead(
  store: ObjectStore,
  { uploadId }: ReadPlan,
  signal: AbortSignal,
): Promise<Commitment | undefined> {
  try {
    const bytes = await fetchManifest(store, uploadId, signal);
    const encoded = encodedManifest(bytes);
    const source = { reader: store, segments: 'beginnings', signal } as const;
    const { head } = await loadOpened(uploadId, { bytes }, encoded.sha256, source);
    const { segments: places } = head;
    // It was never looked at: the commit does before the record.
    return {
      encoded: { ...encoded, ...defined({ segments: places && { places, own: [] } }) },
      totals: head.totals,
      listing: 'full',
      chunks: head.chunks,
    };
  } catch (error) {
    if (!isArchiverError(error, 'not-found')) throw error;
    if (!(error instanceof SweptUpload)) return undefined;
    throw new ArchiverError(
      'conflict',
      `a prune has taken the plan ${uploadId} for abandoned: it cannot be committed`,
      {
        cause: error,
        hint: 'plan the folder again',
      },
    );
  }
}

/** Looks at all that a version of the plan needs; returns the folders where that lies. @throws integrity where the version is not whole */
export async function assertWhole(
  store: ObjectStore,
  plan: ReadPlan,
  { record }: Pick<PlanVersion, 'record'>,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const { uploadId } = plan;
  const broken = (why: string): ArchiverError =>
    notWhole({ store, uploadId, datasetId: record.datasetId }, record.version, why);
  const options = { segments: 'beginnings', signal } as const;
  const { head } = await loadExpected(store, uploadId, digestsOf(record), options).catch((error: unknown) => {
    throw isArchiverError(error, 'integrity', 'not-found') ? broken(error.message) : error;
  });
  const places = [...(head.segments ?? []), ...head.chunks];
  const own = [{ key: manifestKeyOf(uploadId) }];
  const lost = await new FolderLooks(store, signal).lostOf([...own, ...namedBy(uploadId, places)]);
  if (lost !== undefined) throw broken(lost);
  return foldersOf(plan, places);
}

export interface PlanVersion extends MadeVersion {
  readonly record: VersionRecord;
}

/**
 * The version that names the plan's upload; undefined for none. @throws conflict where it was retired; integrity for a record that cannot
 * be read: it may be this one
 */
export async function versionOf(
  store: ObjectStore,
  { uploadId, head: { datasetId, options } }: ReadPlan,
  signal: AbortSignal,
): Promise<PlanVersion | undefined> {
  const listed = (await listOrdinals(store, datasetId, signal)).filter(({ version }) => version > options.after);
  for (const found of (await readOrdinals(store, listed, signal)).toReversed()) {
    if ('problem' in found) throw found.problem;
    const { uploadId: its } = 'record' in found ? found.record : found.tombstone;
    if (its !== uploadId) continue;
    const { version, fork } = found.listed;
    if ('record' in found) {
      const { record } = found;
      return { version, ...defined({ fork }), totals: record.totals, isAlready: true, record };
    }
    throw new ArchiverError(
      'conflict',
      `the plan ${uploadId} was version ${version} of dataset ${datasetId}, which was retired`,
      {
        hint: 'plan the folder again',
      },
    );
  }
  return undefined;
}
