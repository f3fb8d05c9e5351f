// What a writer looks at before and after its record (commit protocol, Protocol 2, rules 4 and 8).
import { hasReferences, isLookOld, lookAtFolder, lookAtReferences } from '../../dataset/folder-look.js';
import { loadExpected } from '../../dataset/chain/load-chain.js';
import { type ArchiverError, integrityError, isArchiverError } from '../../failures/errors.js';
import type { ChunkRecord, PreviousManifest } from '../../manifest/manifest-types.js';
import { ifAllowed } from '../../object-store/abilities.js';
import type { UploadRun } from '../upload-run.js';
import { confirmChunks, type ShownRecord } from './commit.js';
import type { Commitment } from './commitment.js';
import { manifestKeyOf, uploadFolder, uploadUrlOf } from '../../manifest/upload-id.js';

export type LookInput = Pick<UploadRun, 'store' | 'uploadId' | 'datasetId' | 'signal'>;

/** Counts the chunks that this upload id has in the store. @throws integrity when one is missing */
export async function confirmSent({
  store,
  ledger,
  uploadId,
  emit,
  signal,
}: LookInput & Pick<UploadRun, 'ledger' | 'emit'>): Promise<void> {
  const own = ledger.chunks().filter(({ key }) => !key.startsWith('../'));
  if (own.length === 0 || (await confirmChunks(store, uploadFolder(uploadId), own, signal))) return;
  emit({ type: 'note', text: 'this writer has no permission to list: chunks were not counted before the commit' });
}

const referencesOf = ({ uploadId }: LookInput, { chunks, previous }: Commitment) => ({
  uploadId,
  chunks,
  previous: previous?.uploadId,
});

/** False where something that it refers to is not sound. What was looked at less than an hour ago is not looked at again. */
export async function referencesStand(run: LookInput, commitment: Commitment): Promise<boolean> {
  const { lookedAtMs } = commitment;
  const references = referencesOf(run, commitment);
  const isFresh = lookedAtMs !== undefined && !isLookOld(lookedAtMs);
  if (isFresh || !hasReferences(references)) return true;
  const look = await lookAtReferences(run.store, references, run.signal);
  return look !== undefined && look.first === undefined;
}

/** What was put, and when. */
export interface Put {
  readonly version: number;
  readonly shown: ShownRecord;
  /** By the wall clock: when the own folder was looked at. */
  readonly startedMs: number;
}

/** The looks after the record. @throws integrity when something that the version needs was removed while it was made */
export async function lookBack(
  run: LookInput,
  commitment: Commitment,
  { version, shown, startedMs }: Put,
): Promise<void> {
  const { chunks, previous } = commitment;
  const references = referencesOf(run, commitment);
  const look = await lookAtReferences(run.store, references, run.signal);
  if (look === undefined && hasReferences(references)) throw unseen(run, version, 'the folders that it refers to');
  // A computer that slept for a week: its own folder may have been taken for abandoned.
  const own = isLookOld(startedMs) ? await lookAtOwn(run, version, chunks) : undefined;
  const gone = look?.first ?? own;
  if (gone !== undefined) throw notWhole(run, version, `${gone} was removed while it was made`);
  const { recordEtag } = previous ?? {};
  if (previous !== undefined && recordEtag !== undefined && shown.etagBefore !== recordEtag)
    await confirmPrevious(run, version, previous);
}

/** Key of the first own object that is missing or marked. @throws integrity for a writer without permission to list */
async function lookAtOwn(run: LookInput, version: number, chunks: readonly ChunkRecord[]): Promise<string | undefined> {
  const { store, uploadId, signal } = run;
  const look = await ifAllowed(store, 'list', uploadFolder(uploadId), () =>
    lookAtFolder(store, uploadFolder(uploadId), signal),
  );
  if (look === undefined) throw unseen(run, version, 'its own folder');
  const keys = chunks.flatMap(({ key }) => (key.startsWith('../') ? [] : [`${uploadFolder(uploadId)}${key}`]));
  return [manifestKeyOf(uploadId), ...keys].find((key) => !look.sound.has(key));
}

/** The record of the version before was rewritten meanwhile: a repair may have put another view in its manifest's place. */
async function confirmPrevious(run: LookInput, version: number, { uploadId, sha256 }: PreviousManifest): Promise<void> {
  try {
    await loadExpected(run.store, uploadId, [sha256], { signal: run.signal });
  } catch (error) {
    // Asked again even where reading was refused before: a version is not called whole on the word of who cannot look.
    if (!isArchiverError(error, 'access-denied', 'integrity', 'not-found', 'unsupported')) throw error;
    throw notWhole(run, version, `the manifest that it builds on was replaced meanwhile: ${error.message}`);
  }
}

const unseen = ({ datasetId, store, uploadId }: LookInput, version: number, what: string): ArchiverError =>
  integrityError(
    `version ${version} of dataset ${datasetId} was written, but may not be whole: ${what} could not be listed again (permission refused)`,
    { hint: `archiver verify ${uploadUrlOf(store.url, uploadId)}` },
  );

const notWhole = ({ datasetId, store, uploadId }: LookInput, version: number, why: string): ArchiverError =>
  integrityError(`version ${version} of dataset ${datasetId} is not whole: ${why}`, {
    hint: `archiver repair ${uploadUrlOf(store.url, uploadId)}, or the command again with --force for a full new version`,
  });
