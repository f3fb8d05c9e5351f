// Checks that a writer makes before its manifest, before its record and after it (rules.md#looks, rules.md#own-looks). Own objects are
// checked like those of others: an upload that slept may have been taken for abandoned.
import {
  type FolderCheck,
  hasReferences,
  isCheckExpired,
  checkFolder,
  type StoredPlace,
  checkReferences,
} from '../../dataset/check-references.js';
import { loadExpected } from '../../dataset/chain/load-chain.js';
import { type ArchiverError, integrityError, isArchiverError } from '../../platform/failures/errors.js';
import type { EncodedManifest } from '../../format/manifest/encoded-manifest.js';
import type { PreviousManifest } from '../../format/manifest/manifest-types.js';
import { ifAllowed } from '../../store/abilities.js';
import type { ObjectInfo } from '../../store/object-store.js';
import { misnamedError } from '../../store/store-error.js';
import { printable } from '../../platform/paths/raw-path.js';
import { DIRECT_FOLDER } from '../plan/direct-keys.js';
import type { UploadRun } from '../run/upload-run.js';
import type { ShownRecord } from './commit.js';
import type { Commitment } from './commitment.js';
import { uploadFolder, uploadUrlOf } from '../../store/ids/upload-id.js';
import { isFenceFlag } from '../../format/manifest/fence-flag.js';
import { expectedIn } from '../../dataset/records/assert-expected.js';
import { isSameEtag } from '../../store/same-etag.js';

export type CheckInput = Pick<UploadRun, 'store' | 'uploadId' | 'datasetId' | 'signal'>;

/** An object of the upload's own folder as it was put. */
type Own = Pick<ObjectInfo, 'key' | 'sizeBytes'> & Partial<Pick<ObjectInfo, 'etag'>>;

/** What was sent, and what names it. */
export interface SentObjects {
  readonly chunks: readonly StoredPlace[];
  readonly encoded: Pick<EncodedManifest, 'segments'>;
}

/** Objects that the manifest refers to: chunks, and its segments. */
export const referred = ({ chunks, encoded }: SentObjects): readonly StoredPlace[] => [
  ...chunks,
  ...(encoded.segments?.places ?? []),
];

const ownObjects = ({ uploadId }: CheckInput, commitment: SentObjects): Own[] =>
  referred(commitment).flatMap(({ key, size }) =>
    key.startsWith('../') ? [] : [{ key: uploadFolder(uploadId) + key, sizeBytes: size }],
  );

const isAsPut = (found: ObjectInfo | undefined, { sizeBytes, etag }: Own): boolean =>
  found?.sizeBytes === sizeBytes && (etag === undefined || found.etag === etag);

/** Describes what is wrong with an object that is not sound. */
function trouble({ objects }: FolderCheck, own: Own): string {
  const found = objects.find(({ key }) => key === own.key);
  if (found === undefined) return 'is not there';
  if (found.sizeBytes !== own.sizeBytes) return `has ${found.sizeBytes} bytes instead of ${own.sizeBytes}`;
  return isAsPut(found, own) ? 'is marked for deletion' : 'was replaced';
}

interface OwnCheck {
  /** The first object that is not sound, and what is wrong with it. */
  readonly first: { readonly key: string; readonly what: string } | undefined;
  readonly count: number;
  /** A file that the store shows under another key. */
  readonly misnamed: { readonly key: string; readonly shown: string } | undefined;
}

/** Decodes a key as a server does that wrongly takes it for an encoded one. */
function misread(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll('+', ' '));
  } catch {
    return key; // it is not an encoded key
  }
}

/** Finds a key that the listing lacks while it shows a misread form of it, or an unknown file of the same size. */
function findMisnamed(
  { objects }: FolderCheck,
  folder: string,
  own: readonly Own[],
  unsound: readonly Own[],
): OwnCheck['misnamed'] {
  const there = new Set(objects.map(({ key }) => key));
  const put = new Set(own.map(({ key }) => key));
  const strange = objects.filter(({ key }) => key.startsWith(folder + DIRECT_FOLDER) && !put.has(key));
  const bySize = new Map(strange.map(({ key, sizeBytes }) => [sizeBytes, key]));
  const lost = unsound.filter(({ key }) => !there.has(key) && key.startsWith(folder + DIRECT_FOLDER));
  const pairs = (shownOf: (one: Own) => string | undefined): readonly { key: string; shown: string }[] =>
    lost.flatMap((one) => {
      const shown = shownOf(one);
      return shown === undefined ? [] : [{ key: one.key, shown }];
    });
  const [first] = [
    ...pairs(({ key }) => (there.has(misread(key)) ? misread(key) : undefined)),
    ...pairs(({ sizeBytes }) => bySize.get(sizeBytes)),
  ];
  return first;
}

/** Checks the objects of the upload's own folder; undefined for a writer without permission to list. */
async function checkOwn({ store, uploadId, signal }: CheckInput, own: readonly Own[]): Promise<OwnCheck | undefined> {
  const folder = uploadFolder(uploadId);
  const look = await ifAllowed(store, 'list', folder, () => checkFolder(store, folder, signal));
  if (look === undefined) return undefined;
  const unsound = own.filter((object) => !isAsPut(look.sound.get(object.key), object));
  const [first] = unsound;
  const flag = look.objects.find(({ key }) => isFenceFlag(key));
  return {
    first:
      flag === undefined
        ? first && { key: first.key, what: trouble(look, first) }
        : { key: flag.key, what: 'says that the folder is being swept' },
    count: unsound.length,
    misnamed: findMisnamed(look, folder, own, unsound),
  };
}

/**
 * Checks, right before the manifest, that every chunk that this upload id has put is there with its size and that nothing marks it. Returns
 * what is wrong, or undefined. This also catches a PUT that was acknowledged and lost. @throws unsupported where the store shows an object
 * under another key, which sending it again does not mend
 */
export async function checkSent(
  run: CheckInput & Pick<UploadRun, 'emit'>,
  commitment: SentObjects,
): Promise<string | undefined> {
  const own = ownObjects(run, commitment);
  if (own.length === 0) return undefined;
  const look = await checkOwn(run, own);
  if (look === undefined) {
    const text = 'this writer has no permission to list: chunks were not counted before the commit';
    run.emit({ type: 'note', text });
    return undefined;
  }
  const { first, count, misnamed } = look;
  if (misnamed !== undefined) throw misnamedError(printable(misnamed.key), printable(misnamed.shown));
  if (first === undefined) return undefined;
  return `the store acknowledged ${first.key} but it ${first.what} (${count} of ${own.length} chunks affected)`;
}

const referencesOf = ({ uploadId }: CheckInput, commitment: Commitment) => ({
  uploadId,
  objects: referred(commitment),
  previous: commitment.previous?.uploadId,
});

/** Returns false if something that the upload refers to is not sound. What was looked at less than an hour ago is not looked at again. */
export async function areReferencesSound(run: CheckInput, commitment: Commitment): Promise<boolean> {
  const { lookedAtMs } = commitment;
  const references = referencesOf(run, commitment);
  const isFresh = lookedAtMs !== undefined && !isCheckExpired(lookedAtMs);
  if (isFresh || !hasReferences(references)) return true;
  const look = await checkReferences(run.store, references, run.signal);
  return look !== undefined && look.first === undefined;
}

/** The record and manifest that were put, and when. */
export interface Put {
  readonly version: number;
  readonly shown: ShownRecord;
  /** The manifest as the store shows it; undefined for a writer without permission to list. */
  readonly manifest: ObjectInfo | undefined;
  /** When the manifest was about to be put, in ms by the wall clock. */
  readonly startedMs: number;
}

/**
 * Checks, always, after the record: what the upload refers to, and its own folder. Returns what is wrong, or undefined. @throws integrity
 * when this writer cannot find out, or the version before was replaced while this one was made
 */
export async function verifyCommitted(run: CheckInput, commitment: Commitment, put: Put): Promise<string | undefined> {
  const { version, shown, manifest, startedMs } = put;
  const { previous } = commitment;
  const references = referencesOf(run, commitment);
  const look = await checkReferences(run.store, references, run.signal);
  if (look === undefined && hasReferences(references)) throw unseen(run, version, 'the folders that it refers to');
  const own = await checkOwn(run, [...(manifest === undefined ? [] : [manifest]), ...ownObjects(run, commitment)]);
  // A writer that may not list takes it on trust, unless the computer slept: its folder may have been taken for abandoned.
  if (own === undefined && isCheckExpired(startedMs)) throw unseen(run, version, 'its own folder');
  if (look?.first !== undefined) return `${look.first} was removed or given up while it was made`;
  if (own?.first !== undefined) return `${own.first.key} ${own.first.what}`;
  const { recordEtag } = previous ?? {};
  if (previous !== undefined && recordEtag !== undefined && !isShown(shown, recordEtag))
    await confirmPrevious(run, version, previous);
  return undefined;
}

const isShown = ({ others }: ShownRecord, etag: string): boolean =>
  Array.from(others?.values() ?? []).some((object) => isSameEtag(etag, object.etag));

/** Reads the manifest that a delta builds on again, since its record was rewritten: a repair may have put another view in its place. */
async function confirmPrevious(
  run: CheckInput,
  version: number,
  { uploadId, sha256 }: PreviousManifest,
): Promise<void> {
  try {
    await loadExpected(run.store, uploadId, expectedIn(run.datasetId, [sha256]), { signal: run.signal });
  } catch (error) {
    // Read again even where that was refused before: a version is not called whole if that could not be checked.
    if (!isArchiverError(error, 'access-denied', 'integrity', 'not-found', 'unsupported')) throw error;
    throw notWhole(run, version, `the manifest that it builds on was replaced meanwhile: ${error.message}`);
  }
}

const unseen = ({ datasetId, store, uploadId }: CheckInput, version: number, what: string): ArchiverError =>
  integrityError(
    `version ${version} of dataset ${datasetId} was written, but may not be whole: ${what} could not be listed again (permission refused)`,
    { hint: `archiver verify ${uploadUrlOf(store.url, uploadId)}` },
  );

/** Describes a version that was written and is not whole. */
export const notWholeText = ({ datasetId }: Pick<CheckInput, 'datasetId'>, version: number, why: string): string =>
  `version ${version} of dataset ${datasetId} is not whole: ${why}`;

/** Makes the error of an upload that leaves such a version. */
export const notWhole = (run: Omit<CheckInput, 'signal'>, version: number, why: string): ArchiverError =>
  integrityError(notWholeText(run, version, why), {
    hint: `archiver repair ${uploadUrlOf(run.store.url, run.uploadId)}, or the command again with --force for a full new version`,
  });
