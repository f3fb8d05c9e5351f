// Checks that a manifest is the one that a record, or the manifest after it, names (rules.md#named-digests). What a manifest says about
// itself proves nothing: when another one has replaced the one that was named, the version record of its own upload must name it.
import { integrityError } from '../../platform/failures/errors.js';
import type { ManifestHead, ManifestIndex, VersionRecord } from '../../format/manifest/manifest-types.js';
import { repairCommand } from '../../format/manifest/repair-hint.js';
import type { ObjectReader } from '../../store/object-store.js';
import { printable } from '../../platform/paths/raw-path.js';
import { digestsIn, recordedDigests, recordOfManifest } from './recorded-digests.js';
import { versionNumber } from './version-name.js';

/** Digests that a manifest may have, and the dataset whose records may name another one by now. */
export interface ExpectedDigests extends ReadonlyArray<string> {
  /** Dataset, known from elsewhere than the manifest itself. Without it no record is read. */
  readonly datasetId?: string;
  /** Of the manifest with the first digest, as the record names both. */
  readonly index?: ManifestIndex | undefined;
  /** Set when no digest is known: the record of the upload is read, wherever it is. */
  readonly asksRecord?: true;
}

/** These digests, or one that the records of this dataset name by now. */
export const expectedIn = (datasetId: string, digests: readonly string[], index?: ManifestIndex): ExpectedDigests =>
  Object.assign([...digests], { datasetId, index });

/**
 * The digests that the version record of the upload names, if there is one that may be read: for an upload that the user named by its ID.
 */
export const DIGESTS_OF_RECORD: ExpectedDigests = Object.assign([], { asksRecord: true as const });

/** A sentence that says how a manifest of this digest contradicts the record of its upload; undefined when it does not. */
export function contradiction(record: VersionRecord, sha256: string): string | undefined {
  if (digestsIn(record).includes(sha256)) return undefined;
  return (
    `the manifest ${record.manifestKey} is not the one that version ${versionNumber(record)} of dataset ` +
    `${printable(record.datasetId)} names: its SHA-256 is ${sha256}`
  );
}

interface FoundManifest {
  readonly head: ManifestHead;
  /** Key relative to the base. */
  readonly key: string;
  /** Digest of the stored bytes. */
  readonly sha256: string;
}

/**
 * Checks that the manifest has an expected digest, or has the same content as one that has (`replaces`) and is named by the record of its
 * upload now. An empty list means that none was recorded, or that the record is to be read. @throws integrity when neither is the case, and
 * what the store throws
 */
export async function assertExpected(
  reader: ObjectReader,
  { head, key, sha256 }: FoundManifest,
  expected: ExpectedDigests,
  signal?: AbortSignal,
): Promise<void> {
  if (expected.asksRecord === true) await assertRecorded(reader, head, sha256, signal);
  if (expected.length === 0 || expected.includes(sha256)) return;
  const { datasetId } = expected;
  const replaces = head.replaces?.some((digest) => expected.includes(digest)) === true;
  const named =
    replaces && datasetId !== undefined
      ? await recordedDigests(reader, { datasetId, uploadId: head.uploadId }, signal)
      : undefined;
  if (named?.includes(sha256) === true) return;
  const claim = replaces ? ', and no version record names that' : '';
  throw integrityError(`the manifest ${key} is not the one that was recorded: its SHA-256 is ${sha256}${claim}`, {
    hint: repairCommand(reader, head.uploadId),
  });
}

/**
 * Compares with the record of the upload as verify does, with a bounded number of requests. Without a record there is nothing to compare.
 */
async function assertRecorded(
  reader: ObjectReader,
  { uploadId, datasetId }: ManifestHead,
  sha256: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const record = await recordOfManifest(reader, datasetId, { uploadId, isThorough: false, signal });
  const problem = record && contradiction(record, sha256);
  if (problem !== undefined) throw integrityError(problem, { hint: repairCommand(reader, uploadId) });
}
