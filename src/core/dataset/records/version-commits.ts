// Finds the versions made at a git commit. Most records name it; for the others, the head of the manifest is read.
import { isArchiverError, usageError } from '../../platform/failures/errors.js';
import { forEachLimit } from '../../platform/limits/for-each-limit.js';
import { readManifest } from '../../format/manifest/manifest-reader.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import type { VersionRecord } from '../../format/manifest/manifest-types.js';
import type { ObjectReader } from '../../store/object-store.js';
import { printable } from '../../platform/paths/raw-path.js';
import { findDataset } from './find-dataset.js';
import { readVersions } from './versions.js';
import { versionName } from './version-name.js';

/** Number of records, or heads of manifests, that are read at a time. */
const AT_ONCE = 16;
const NAMED = 10;

/** The full commit in hex; null for none. @throws what reading the manifest throws, when its record does not name it */
export async function commitOf(
  reader: ObjectReader,
  { commit, uploadId }: Pick<VersionRecord, 'commit' | 'uploadId'>,
  signal?: AbortSignal,
): Promise<string | null> {
  if (commit !== undefined) return commit;
  const { head } = await readManifest(reader, { uploadId, headOnly: true, signal });
  return head.git?.commit ?? null;
}

/**
 * Commits by upload. Left out are versions whose manifest is encrypted, because a table needs no key, and those whose manifest cannot be
 * read, which is a problem. @throws cancelled
 */
export async function knownCommits(
  reader: ObjectReader,
  records: readonly VersionRecord[],
  signal?: AbortSignal,
): Promise<{ readonly commits: ReadonlyMap<UploadId, string | null>; readonly problems: readonly string[] }> {
  const commits = new Map<UploadId, string | null>();
  const problems: string[] = [];
  await forEachLimit(records, AT_ONCE, async (record) => {
    if (record.commit === undefined && record.encryption?.manifest === true) return;
    try {
      commits.set(record.uploadId, await commitOf(reader, record, signal));
    } catch (error) {
      if (!isArchiverError(error, 'not-found', 'integrity', 'unsupported', 'access-denied')) throw error;
      problems.push(`the commit of ${versionName(record)} is not known: ${error.message}`);
    }
  });
  return { commits, problems };
}

export interface CommitVersion {
  readonly record: VersionRecord;
  readonly commit: string;
}

/**
 * The newest version of a dataset that was made at one of these commits, each of which may be a prefix; undefined for none. `dataset` is in
 * the form that `findDataset` takes. `warn` gets records that cannot be read, too.
 * @throws what `findDataset` throws; usage when one of them is the prefix of several commits; what reading throws
 */
export async function versionAtCommit(
  reader: ObjectReader,
  dataset: string | undefined,
  commits: readonly string[],
  { warn, signal }: { readonly warn: (text: string) => void; readonly signal?: AbortSignal },
): Promise<CommitVersion | undefined> {
  const { datasetId, versions } = await findDataset(reader, dataset, { warn, signal });
  const listed = versions.toReversed();
  const wanted = commits.map((text) => ({ text, prefix: text.toLowerCase(), found: new Set<string>() }));
  let newest: CommitVersion | undefined;
  for (let start = 0; start < listed.length; start += AT_ONCE) {
    const read = await readVersions(reader, listed.slice(start, start + AT_ONCE), signal);
    for (const found of read) if ('problem' in found) warn(found.problem.message);
    const records = read.flatMap((found) => ('record' in found ? [found.record] : []));
    const known = await Promise.all(records.map((record) => commitOf(reader, record, signal)));
    records.forEach((record, index) => {
      const commit = known[index];
      const fitting = wanted.filter(({ prefix }) => commit?.startsWith(prefix) === true);
      if (commit === null || commit === undefined || fitting.length === 0) return;
      for (const { found } of fitting) found.add(commit);
      newest ??= { record, commit };
    });
  }
  for (const { text, found } of wanted) {
    if (found.size < 2) continue;
    throw usageError(
      `${found.size} commits of dataset ${printable(datasetId)} begin with '${printable(text)}'`,
      `give more digits: ${[...found].slice(0, NAMED).join(', ')}`,
    );
  }
  return newest;
}
