// Finds the upload that the user means: one given by its ID, or a version of a dataset, which is looked up in the store.
import type { UploadId } from '../store/ids/upload-id.js';
import type { VersionRecord } from '../format/manifest/manifest-types.js';
import type { ObjectReader } from '../store/object-store.js';
import { printable } from '../platform/paths/raw-path.js';
import { digestsOf } from './chain/version-view.js';
import { DIGESTS_OF_RECORD, type ExpectedDigests } from './records/assert-expected.js';
import { jumpOf } from './records/doubts.js';
import { versionAtCommit } from './records/version-commits.js';
import { type VersionName, versionName } from './records/version-name.js';
import { resolveListed, type VersionSelector } from './records/version-selector.js';

export interface UploadChoice {
  /** Upload ID given by the user; everything else is ignored then. */
  readonly uploadId: UploadId | undefined;
  /** In the form that `findDataset` takes. */
  readonly dataset: string | undefined;
  readonly selector: VersionSelector;
  /** Used when no version is named: the newest version made at one of these commits is chosen, if there is one. */
  readonly commits: readonly string[];
}

/** The version that was found. */
export interface DatasetVersion extends VersionName {
  readonly datasetId: string;
}

export interface ChosenUpload {
  readonly uploadId: UploadId;
  /** Undefined when the upload itself was named. */
  readonly version: DatasetVersion | undefined;
  /** The record of that version. */
  readonly record?: VersionRecord;
  /** Set when no version was named and this is the newest one. */
  readonly isNewest?: boolean;
  /** Digests that its manifest may have. */
  readonly manifestSha256: ExpectedDigests;
}

export interface FindUploadOptions {
  readonly warn: (text: string) => void;
  /** Called with a sentence that says which version a commit led to. */
  readonly note: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Finds the upload; asks the store for the version unless an upload is named. @throws what `resolveListed` and `versionAtCommit` throw */
export async function findUpload(
  reader: ObjectReader,
  { uploadId, dataset, selector, commits }: UploadChoice,
  options: FindUploadOptions,
): Promise<ChosenUpload> {
  if (uploadId !== undefined) return { uploadId, version: undefined, manifestSha256: DIGESTS_OF_RECORD };
  const { warn, signal } = options;
  const atCommit = commits.length === 0 ? undefined : await recordAtCommit(reader, dataset, commits, options);
  const { record, listed } =
    atCommit === undefined
      ? await resolveListed(reader, dataset, selector, { warn, signal })
      : { record: atCommit, listed: undefined };
  const { datasetId, version, fork } = record;
  const isNewest = selector.kind === 'head' && listed !== undefined;
  // A key that may only put can add a version with any number, but cannot remove one.
  for (const text of isNewest ? jumpOf(listed) : [])
    warn(`${versionName(record)}, the newest of ${printable(datasetId)}, may be forged: ${text}`);
  return {
    uploadId: record.uploadId,
    version: { datasetId, version, fork },
    record,
    isNewest,
    manifestSha256: digestsOf(record),
  };
}

/**
 * The newest version made at one of the commits, which is reported to `note`. Undefined when there is none: files of the newest version may
 * still be from that commit.
 */
async function recordAtCommit(
  reader: ObjectReader,
  dataset: string | undefined,
  commits: readonly string[],
  { note, warn, signal }: FindUploadOptions,
): Promise<VersionRecord | undefined> {
  const found = await versionAtCommit(reader, dataset, commits, { warn, signal });
  if (found === undefined) return undefined;
  const { datasetId } = found.record;
  note(`${versionName(found.record)} of ${printable(datasetId)} is the newest version made at commit ${found.commit}`);
  return found.record;
}
