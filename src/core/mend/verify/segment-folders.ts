// Segments beyond the manifest that is verified: those of other uploads that it names, and those in its folder that others name.
import { ifAllowed } from '../../store/abilities.js';
import { listVersions, readVersions } from '../../dataset/records/versions.js';
import { undefinedOn } from '../../platform/failures/errors.js';
import { forEachLimit } from '../../platform/limits/for-each-limit.js';
import { keyOf } from '../../format/manifest/load-segments.js';
import { readManifest } from '../../format/manifest/manifest-reader.js';
import type { ManifestHead } from '../../format/manifest/manifest-types.js';
import type { ObjectReader } from '../../store/object-store.js';
import { splitUploadKey, type UploadId } from '../../store/ids/upload-id.js';
import type { ProblemSink } from './problem.js';

const READS_AT_ONCE = 8;

/** Datasets of uploads, as far as their manifests tell. */
export type KnownDatasets = Map<UploadId, string | undefined>;

export interface SegmentFoldersOptions {
  readonly reader: ObjectReader;
  readonly head: Pick<ManifestHead, 'uploadId' | 'datasetId' | 'segments'>;
  /** Updated in place. */
  readonly datasets: KnownDatasets;
  readonly errors: ProblemSink;
  readonly signal: AbortSignal;
}

/** Reports segments that lie with another dataset, whose prune does not spare them. @throws what the store throws */
export async function checkSegmentFolders(options: SegmentFoldersOptions): Promise<void> {
  const { reader, head, datasets, errors, signal } = options;
  const keys = (head.segments ?? []).map((place) => keyOf(head.uploadId, place));
  const folders = new Map<UploadId, string>();
  for (const key of keys) {
    const { uploadId } = splitUploadKey(key) ?? {};
    if (uploadId !== undefined && uploadId !== head.uploadId) folders.set(uploadId, key);
  }
  const unknown = [...folders.keys()].filter((uploadId) => !datasets.has(uploadId));
  await forEachLimit(unknown, READS_AT_ONCE, async (uploadId) => {
    // A pruned version leaves its segments to those after it, and no manifest.
    datasets.set(uploadId, (await headOf(reader, uploadId, signal))?.datasetId);
  });
  for (const [uploadId, key] of folders) {
    const other = datasets.get(uploadId);
    if (other !== undefined && other !== head.datasetId)
      errors.add(
        `the manifest is one of dataset ${head.datasetId}, and this segment of it lies with dataset ${other}`,
        {
          key,
        },
      );
  }
}

/** Those of the segments that a version of the dataset names. @throws what the store throws */
export async function segmentsNamed(
  reader: ObjectReader,
  datasetId: string,
  wanted: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const named = new Set<string>();
  await ifAllowed(reader, 'list', `datasets/${datasetId}/`, async () => {
    const versions = await readVersions(reader, await listVersions(reader, datasetId, signal), signal);
    await forEachLimit(versions, READS_AT_ONCE, async (read) => {
      if ('problem' in read || named.size === wanted.size) return;
      const head = await headOf(reader, read.record.uploadId, signal);
      for (const place of head?.segments ?? []) {
        const key = keyOf(read.record.uploadId, place);
        if (wanted.has(key)) named.add(key);
      }
    });
  });
  return named;
}

/** The head of a manifest; undefined where it cannot be read, which its own verification says. */
async function headOf(
  reader: ObjectReader,
  uploadId: UploadId,
  signal: AbortSignal,
): Promise<ManifestHead | undefined> {
  const read = readManifest(reader, { uploadId, headOnly: true, signal });
  return (await read.catch(undefinedOn('not-found', 'integrity', 'access-denied', 'unsupported')))?.head;
}
