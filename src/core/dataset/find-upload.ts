// Which upload is meant: one that is named, or a version of a dataset, which the store is asked for.
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
  /** An upload that is named; of the rest nothing counts then. */
  readonly uploadId: UploadId | undefined;
  /** As `findDataset` takes it. */
  readonly dataset: string | undefined;
  readonly selector: VersionSelector;
  /** Where no version is named: the newest that was made at one of these commits is meant, if there is one. */
  readonly commits: readonly string[];
}

/** A version as it was found. */
export interface DatasetVersion extends VersionName {
  readonly datasetId: string;
}

export interface ChosenUpload {
  readonly uploadId: UploadId;
  /** Undefined where the upload itself was named. */
  readonly version: DatasetVersion | undefined;
  /** Nobody named the version: it is the newest there is. */
  readonly isNewest?: boolean;
  /** Digests that its manifest may have. */
  readonly manifestSha256: ExpectedDigests;
}

export interface FindUploadOptions {
  readonly warn: (text: string) => void;
  /** Told which version a commit led to. */
  readonly note: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Asks the store for the version, where no upload is named. @throws what `resolveListed` and `versionAtCommit` throw */
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
  // A key that may only put can add a version with any number, and cannot take one away.
  for (const text of isNewest ? jumpOf(listed) : [])
    warn(`${versionName(record)}, the newest of ${printable(datasetId)}, may be forged: ${text}`);
  return {
    uploadId: record.uploadId,
    version: { datasetId, version, fork },
    isNewest,
    manifestSha256: digestsOf(record),
  };
}

/** The newest version of a commit, which is told. None: files of the newest version may be of it nevertheless. */
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
