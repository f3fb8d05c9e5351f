// Takes up an interrupted upload (commit protocol, Protocol 2, rule 6): an ordinary run that finds chunks by journal and
// LIST. It first looks whether the upload became a version after all. It keeps its id only where the manifest was never
// tried; else it goes on under a new one and refers to what is there. Nothing of an earlier run is finished, replaced or
// removed.
import { lookAtFolder } from '../../dataset/folder-look.js';
import { loadExpected } from '../../dataset/load-chain.js';
import { listVersions, readVersions } from '../../dataset/versions.js';
import { isArchiverError } from '../../failures/errors.js';
import type { VersionRecord } from '../../manifest/manifest-types.js';
import type { ObjectStore } from '../../object-store/object-store.js';
import { displayPath } from '../../paths/raw-path.js';
import { readBack } from '../../resume/read-back.js';
import type { SavedUpload } from '../../resume/saved-upload.js';
import { findSent } from '../../resume/sent-chunks.js';
import { underNewId } from '../under-new-id.js';
import type { UploadJob } from '../upload-job.js';
import type { UploadResult } from '../upload.js';
import { committedResult } from '../upload-result.js';

/** An upload that has sent nothing for so long has ended, or takes nothing back any more (send-chunk.ts). */
const QUIET_MS = 2 * 3_600_000;
/** Clocks of writers and stores differ by less. */
const CLOCK_SLACK_MS = 86_400_000;

export type TakenUp = { readonly job: UploadJob } | { readonly result: UploadResult };

/** The job as it goes on, or the result when the upload is a version and was to be nothing else. @throws what the store throws */
export async function takeUp(
  fresh: UploadJob,
  { state, chunks: noted }: Pick<SavedUpload, 'state' | 'chunks'>,
): Promise<TakenUp> {
  const { options, opened, ledger } = fresh;
  const { signal } = options;
  const { uploadIds } = state;
  const wasTried = uploadIds.length > 1 || state.status !== 'transferring';
  const record = wasTried ? await recordOf(fresh, uploadIds, Date.parse(state.createdAt)) : undefined;
  if (record !== undefined) {
    const text = `upload ${record.uploadId} was committed as version ${record.version}`;
    options.emit({ type: 'note', text });
    if (options.changes === undefined) return { result: committedResult(fresh, record) };
  }
  // What is committed is the dataset's; a version that follows refers to it as to everything else.
  const open = uploadIds.filter((id) => id !== record?.uploadId);
  const usable = options.readsBack === true ? await ofThisDataset(fresh, open) : open;
  const sent = await findSent(
    opened.store,
    usable,
    noted.filter(({ key }) => usable.some((id) => key.startsWith(`uploads/${id}/`))),
    signal,
  );
  const more = options.readsBack === true ? await readBack(opened.store, sent.unnoted, signal) : [];
  const chunks = [...sent.chunks, ...more];
  ledger.skipTo(Math.max(sent.nextChunk, state.plan.nextChunk));
  const { directKeys } = sent;
  const job = { ...fresh, resumed: { chunks, directKeys, chunkBytes: state.plan.chunkBytes, pieces: new Map() } };
  const isUntried = state.status === 'transferring' && sent.hasManifest === false && record === undefined;
  return { job: isUntried ? job : await underNewId(job) };
}

/** The version that one of these uploads is. @throws what the store throws */
async function recordOf(
  { opened, datasetId, options: { signal } }: UploadJob,
  uploadIds: readonly string[],
  createdAtMs: number,
): Promise<VersionRecord | undefined> {
  const { store } = opened;
  try {
    const listed = await listVersions(store, datasetId, signal);
    const young = listed.filter(({ lastModified }) => lastModified.getTime() >= createdAtMs - CLOCK_SLACK_MS);
    for (const read of (await readVersions(store, datasetId, young, signal)).toReversed())
      if ('record' in read && uploadIds.includes(read.record.uploadId)) return read.record;
  } catch (error) {
    // Who may not look cannot be told; under a new id nothing that is committed is touched.
    if (!isArchiverError(error, 'access-denied')) throw error;
  }
  return undefined;
}

/** Without a journal nothing but its manifest tells whose an upload is, and nothing but time whether it has ended. */
async function ofThisDataset(
  { opened, datasetId, options }: UploadJob,
  uploadIds: readonly string[],
): Promise<readonly string[]> {
  const usable: string[] = [];
  for (const uploadId of uploadIds) {
    const why = await whyNot(opened.store, uploadId, datasetId, options.signal);
    if (why === undefined) usable.push(uploadId);
    else options.emit({ type: 'note', text: `upload ${uploadId} ${why}: nothing of it is used` });
  }
  return usable;
}

async function whyNot(
  store: ObjectStore,
  uploadId: string,
  datasetId: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const owner = (await loadExpected(store, uploadId, [], { signal })).head.datasetId;
    return owner === datasetId ? undefined : `belongs to dataset ${displayPath(owner)}`;
  } catch (error) {
    if (isArchiverError(error, 'not-found')) return await whyNotEnded(store, uploadId, signal);
    if (!isArchiverError(error, 'access-denied', 'integrity')) throw error;
    return 'may belong to another dataset: its manifest cannot be read';
  }
}

/** It never became a version; whoever sends it may still be at it, and take back what was sent when that fails. */
async function whyNotEnded(store: ObjectStore, uploadId: string, signal: AbortSignal): Promise<string | undefined> {
  const [now, { objects }] = [await store.time(signal), await lookAtFolder(store, uploadId, signal)];
  const newest = objects.reduce((most, { lastModified }) => Math.max(most, lastModified.getTime()), 0);
  return now.getTime() - newest < QUIET_MS
    ? 'got something less than two hours ago, and may still be running'
    : undefined;
}
