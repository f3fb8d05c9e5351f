// Takes up an interrupted upload: asks the store what is there, and whether the upload was committed after all. One whose
// manifest got there and whose version record did not is finished as it is when the source still looks like that, and else
// goes on under a new id, so that no manifest is ever written over.
import { newUploadId } from '../../dataset/identity.js';
import { openView, type View } from '../../dataset/view.js';
import { listVersions, readVersions } from '../../dataset/versions.js';
import { highestVersion } from '../../dataset/version-record.js';
import { isArchiverError } from '../../errors.js';
import type { VersionRecord } from '../../manifest/manifest-types.js';
import type { SavedUpload } from '../../resume/saved-upload.js';
import { readBack } from '../../resume/read-back.js';
import { findSent } from '../../resume/sent-chunks.js';
import { type Baseline, rememberHead } from '../changes/baseline.js';
import { claimVersion, commitVersion } from '../commit/commit.js';
import { versionInput } from '../commit/commit-upload.js';
import { compareWithView } from '../changes/compare.js';
import { currentXattrs } from '../scan/current-xattrs.js';
import { STATUS } from '../scan/entry-table.js';
import { encryptionFor } from '../upload-encryption.js';
import type { UploadResult } from '../upload.js';
import type { UploadJob } from '../upload-job.js';
import { committedResult } from '../upload-result.js';

const READS_AT_ONCE = 16;

export type TakenUp = { readonly job: UploadJob } | { readonly result: UploadResult };

/** The job as it goes on, or the result when nothing was left to do but the version record. @throws what the store throws */
export async function takeUp(
  fresh: UploadJob,
  { state, chunks: noted }: Pick<SavedUpload, 'state' | 'chunks'>,
  baseline: Baseline | undefined,
): Promise<TakenUp> {
  const { options, opened, ledger } = fresh;
  const sent = await findSent(opened.store, state.uploadIds, noted, options.signal);
  const { hasManifest, nextChunk, directKeys } = sent;
  const more = options.readsBack === true ? await readBack(opened.store, sent.unnoted, options.signal) : [];
  const chunks = [...sent.chunks, ...more];
  ledger.skipTo(Math.max(nextChunk, state.plan.nextChunk));
  const job = { ...fresh, resumed: { chunks, directKeys, chunkBytes: state.plan.chunkBytes, pieces: new Map() } };
  if (hasManifest === true) return await afterManifest(job, baseline);
  // Who may not list cannot know whether the manifest got there.
  return { job: hasManifest === undefined && state.status !== 'transferring' ? await underNewId(job) : job };
}

async function afterManifest(job: UploadJob, baseline: Baseline | undefined): Promise<TakenUp> {
  const { options, uploadId, sender, opened } = job;
  const record = await recordOf(job);
  if (record !== undefined && record !== 'unknown') {
    options.emit({
      type: 'note',
      text: `upload ${uploadId} was committed as version ${record.version}: nothing was left to do`,
    });
    return { result: committedResult(job, record.version, record.totals) };
  }
  const result = record === undefined ? await finish(job, baseline) : undefined;
  if (result !== undefined) return { result };
  const moved = await underNewId(job);
  if (record === undefined) await sender.discardManifest(opened.store, uploadId);
  return { job: moved };
}

async function underNewId(job: UploadJob): Promise<UploadJob> {
  const { options, opened } = job;
  const uploadId = newUploadId(options.now(), options.randomBytes(4));
  await options.journal?.movedTo(uploadId);
  const encryption = encryptionFor(job.encryption, opened.store, uploadId, options.signal);
  return { ...job, uploadId, encryption, location: `${opened.store.url}/uploads/${uploadId}` };
}

/** The version that this upload is; `unknown` when a record cannot be read. */
async function recordOf({
  opened,
  datasetId,
  uploadId,
  options,
}: UploadJob): Promise<VersionRecord | undefined | 'unknown'> {
  const { store } = opened;
  try {
    const listed = (await listVersions(store, datasetId, options.signal)).toReversed();
    let isSure = true;
    for (let at = 0; at < listed.length; at += READS_AT_ONCE) {
      const batch = listed.slice(at, at + READS_AT_ONCE);
      for (const read of await readVersions(store, datasetId, batch, options.signal)) {
        if ('problem' in read) isSure = false;
        else if (read.record.uploadId === uploadId) return read.record;
      }
    }
    return isSure ? undefined : 'unknown';
  } catch (error) {
    if (isArchiverError(error, 'access-denied')) return 'unknown';
    throw error;
  }
}

/** Writes the record of the manifest that is there. Undefined when that is not what should be written now. */
async function finish(job: UploadJob, baseline: Baseline | undefined): Promise<UploadResult | undefined> {
  const { options, opened, datasetId, uploadId } = job;
  const { signal } = options;
  const view = await readableView(job);
  const [newest] = view?.chain ?? [];
  if (view === undefined || newest === undefined || newest.sealedBy !== undefined) return undefined;
  if (!fitsBaseline(view, baseline) || !(await isAsScanned(job, view))) return undefined;
  const { head, totals } = view;
  const encoded = { bytes: newest.bytes, sha256: newest.sha256 };
  const input = versionInput(job, encoded, totals, head.listing);
  let version = (baseline?.head ?? 0) + 1;
  if (head.listing === 'full')
    version = await commitVersion(opened.store, input, await highestVersion(opened.store, datasetId, signal), signal);
  else if (!(await claimVersion(opened.store, input, version, signal))) return undefined;
  await rememberHead(options, opened.store.url, datasetId, { version, uploadId, encoded });
  options.emit({
    type: 'note',
    text: `the manifest of upload ${uploadId} was there already: only its version was missing`,
  });
  options.emit({ type: 'done' });
  return committedResult(job, version, totals);
}

async function readableView({ options, opened, uploadId }: UploadJob): Promise<View | undefined> {
  const { cache, signal } = options;
  try {
    return await openView(opened.store, { uploadId, signal, ...(cache === undefined ? {} : { cache }) });
  } catch (error) {
    const isUnusable = ['access-denied', 'not-found', 'integrity', 'unsupported'].some(
      (code) => isArchiverError(error) && error.code === code,
    );
    if (!isUnusable) throw error;
    return undefined;
  }
}

/** A delta is one to the version that is the latest now. */
function fitsBaseline({ head }: View, baseline: Baseline | undefined): boolean {
  if (head.listing === 'full') return true;
  const [latest] = baseline?.view.chain ?? [];
  return latest !== undefined && head.previous?.uploadId === latest.uploadId && head.previous.sha256 === latest.sha256;
}

/** Nothing that was scanned differs from the view. Leaves every row pending when something does. */
async function isAsScanned({ options, scanned, ledger }: UploadJob, view: View): Promise<boolean> {
  const { table, extras } = ledger;
  const { deleted, pending, kept } = await compareWithView(view.entries(), {
    table,
    extras,
    skipped: scanned.skipped,
    // A full upload lists what is there and nothing else.
    trackDeletes: options.changes === undefined || options.changes.trackDeletes,
    stages: options.provenance?.ofEntries.stages,
    xattrsOf: currentXattrs(options.source),
  });
  table.columns.status.fill(STATUS.pending, 0, table.count);
  extras.clear();
  return pending === 0 && kept === 0 && deleted.length === 0;
}
