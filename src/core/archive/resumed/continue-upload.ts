// Continues an interrupted upload (rules.md#resume, rules.md#own-ids): an ordinary run under an id of its own that finds chunks
// by journal and LIST. It first looks whether the upload became a version after all. Nothing of an earlier run is finished,
// replaced or removed; and since one id has one process for ever, two processes with one journal (a copied home) cannot take each
// other's chunks for their own.
import { checkFolder } from '../../dataset/check-references.js';
import { assertWhole } from '../../dataset/check-view.js';
import { loadExpected } from '../../dataset/chain/load-chain.js';
import { listVersions, readVersions } from '../../dataset/records/versions.js';
import { isArchiverError } from '../../platform/failures/errors.js';
import type { VersionRecord } from '../../format/manifest/manifest-types.js';
import { ifAllowed } from '../../store/abilities.js';
import type { ObjectStore } from '../../store/object-store.js';
import { printable } from '../../platform/paths/raw-path.js';
import { readBack } from '../resume/read-back.js';
import type { SavedUpload } from '../resume/saved-upload.js';
import type { AcknowledgedChunk } from '../resume/upload-journal.js';
import { findSent } from '../resume/sent-chunks.js';
import type { UploadRun } from '../run/upload-run.js';
import { committedResult, type UploadResult } from '../upload-result.js';
import { manifestKeyOf, uploadFolder, type UploadId } from '../../store/ids/upload-id.js';
import { versionNumber } from '../../dataset/records/version-name.js';

/** After this long without sending anything an upload has ended, or deletes nothing any more (send-chunk.ts). */
const QUIET_MS = 2 * 3_600_000;
/** Most that the clocks of writers and stores may differ. */
const CLOCK_SLACK_MS = 86_400_000;

const UNREADABLE = 'may belong to another dataset: its manifest cannot be read';

export type ContinuedUpload = { readonly run: UploadRun } | { readonly result: UploadResult };

/**
 * Returns the run to continue, or the result if the upload is a version already and was to be nothing else. @throws what the store throws
 */
export async function continueUpload(
  fresh: UploadRun,
  { state, chunks: noted }: Pick<SavedUpload, 'state' | 'chunks'>,
): Promise<ContinuedUpload> {
  const { store, ledger, emit, signal } = fresh;
  const { uploadIds } = state;
  // Asked whatever the journal says: another process may have continued a copy of it.
  const record = await recordOf(fresh, uploadIds, Date.parse(state.createdAt));
  if (record !== undefined) {
    const text = `upload ${record.uploadId} was committed as version ${versionNumber(record)}`;
    emit({ type: 'note', text });
    if (fresh.dataset.changes === undefined) {
      await assertWhole(store, record, signal);
      return { result: committedResult(fresh, record) };
    }
  }
  // A committed upload belongs to the dataset; a version that follows refers to it as to everything else.
  const open = uploadIds.filter((id) => id !== record?.uploadId);
  const usable = fresh.resume.readsBack ? await ofThisDataset(fresh, open) : open;
  const sent = await findSent(
    store,
    usable,
    noted.filter(({ key }) => usable.some((id) => key.startsWith(uploadFolder(id)))),
    signal,
  );
  const more = fresh.resume.readsBack ? await readBack(store, sent.unnoted, signal) : [];
  const chunks = unambiguous([...sent.chunks, ...more], noted);
  for (const chunk of [...noted, ...more]) for (const number of numbersOf(chunk)) ledger.skipTo(number + 1);
  await fresh.resume.journal?.movedTo(fresh.uploadId);
  return { run: { ...fresh, resumed: { chunks, chunkBytes: state.plan.chunkBytes, pieces: new Map() } } };
}

/** Returns the number of a chunk and those of its direct files. */
const numbersOf = ({ record, direct = [] }: AcknowledgedChunk): readonly number[] =>
  [record, ...direct].map(({ chunk }) => chunk);

/**
 * Leaves out chunks whose numbers several of them have: two processes have written to one journal, and pieces of cut files, too, refer to
 * chunks by number.
 */
function unambiguous(
  chunks: readonly AcknowledgedChunk[],
  noted: readonly AcknowledgedChunk[],
): readonly AcknowledgedChunk[] {
  const keys = new Map<number, Set<string>>();
  for (const chunk of [...chunks, ...noted])
    for (const number of numbersOf(chunk)) keys.set(number, (keys.get(number) ?? new Set()).add(chunk.key));
  return chunks.filter((chunk) => numbersOf(chunk).every((number) => keys.get(number)?.size === 1));
}

/** Returns the record of the version that one of these uploads became. @throws what the store throws */
async function recordOf(
  { store, datasetId, signal }: Pick<UploadRun, 'store' | 'datasetId' | 'signal'>,
  uploadIds: readonly UploadId[],
  createdAtMs: number,
): Promise<VersionRecord | undefined> {
  // Without permission to list this is not known, which does no harm: under a new id nothing that is committed is touched.
  return await ifAllowed(store, 'list', `datasets/${datasetId}/`, async () => {
    const listed = await listVersions(store, datasetId, signal);
    const young = listed.filter(({ lastModified }) => lastModified.getTime() >= createdAtMs - CLOCK_SLACK_MS);
    for (const read of (await readVersions(store, young, signal)).toReversed())
      if ('record' in read && uploadIds.includes(read.record.uploadId)) return read.record;
    return undefined;
  });
}

/**
 * Returns the uploads that belong to this dataset and have ended. Without a journal only the manifest tells the dataset, and only time
 * tells whether an upload has ended.
 */
async function ofThisDataset(
  { store, datasetId, emit, signal }: Pick<UploadRun, 'store' | 'datasetId' | 'emit' | 'signal'>,
  uploadIds: readonly UploadId[],
): Promise<readonly UploadId[]> {
  const usable: UploadId[] = [];
  for (const uploadId of uploadIds) {
    const why = await whyNotUsable(store, uploadId, datasetId, signal);
    if (why === undefined) usable.push(uploadId);
    else emit({ type: 'note', text: `upload ${uploadId} ${why}: nothing of it is used` });
  }
  return usable;
}

async function whyNotUsable(
  store: ObjectStore,
  uploadId: UploadId,
  datasetId: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const key = manifestKeyOf(uploadId);
    const loaded = await ifAllowed(store, 'read', key, () => loadExpected(store, uploadId, [], { signal }));
    const owner = loaded?.head.datasetId;
    if (owner === undefined) return UNREADABLE;
    return owner === datasetId ? undefined : `belongs to dataset ${printable(owner)}`;
  } catch (error) {
    if (isArchiverError(error, 'not-found')) return await whyNotEnded(store, uploadId, signal);
    if (!isArchiverError(error, 'integrity')) throw error;
    return UNREADABLE;
  }
}

/** Why an upload without a manifest may not have ended: its writer may still be running, and delete what was sent when it fails. */
async function whyNotEnded(store: ObjectStore, uploadId: UploadId, signal: AbortSignal): Promise<string | undefined> {
  const [now, { objects }] = [await store.time(signal), await checkFolder(store, uploadFolder(uploadId), signal)];
  const newest = objects.reduce((most, { lastModified }) => Math.max(most, lastModified.getTime()), 0);
  return now.getTime() - newest < QUIET_MS
    ? 'got something less than two hours ago, and may still be running'
    : undefined;
}
