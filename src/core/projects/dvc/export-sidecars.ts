// Exports `.dvc` files for the files of an upload. The whole manifest is read and checked before the first one is written.
import type { EventSink } from '../../events/events.js';
import { ignoreEvents, progressMeter } from '../../events/progress-meter.js';
import type { Listing } from '../../restore/listing/listing.js';
import { loadListing } from '../../restore/listing/load-listing.js';
import type { ObjectReader } from '../../store/object-store.js';
import { displayPath, rawFromText, type RawPath } from '../../platform/paths/raw-path.js';
import { resultPath } from '../../platform/failures/failure-list.js';
import { writeSidecars } from './sidecar.js';
import type { SidecarFile, SidecarResult } from './sidecar-types.js';
import type { UploadId } from '../../store/ids/upload-id.js';

export interface ExportOptions {
  readonly uploadId: UploadId;
  /** Digests that its manifest may have; undefined when any is accepted. */
  readonly sha256?: readonly string[] | undefined;
  readonly outputDir: string;
  /** Relative to the output folder, or absolute. */
  readonly cacheDir: string;
  readonly emit?: EventSink | undefined;
  readonly signal: AbortSignal;
}

export interface Exported {
  /** `failed` also lists entries of the manifest that may not be written anywhere. */
  readonly result: SidecarResult;
  readonly warnings: readonly string[];
}

/** Writes the files. @throws what `loadListing` and `writeSidecars` throw */
export async function exportSidecars(
  reader: ObjectReader,
  { uploadId, sha256, outputDir, cacheDir, emit = ignoreEvents, signal }: ExportOptions,
): Promise<Exported> {
  const listing = await loadListing(reader, { uploadId, sha256, emit, signal });
  const folders = folderOuts(listing);
  emit({ type: 'phase', phase: 'transferring' });
  emit({ type: 'plan', items: listing.count, bytes: 0 });
  const meter = progressMeter(emit, (index) => displayPath(listing.path(index)));
  const files = filesOf(listing, (index) => meter.add(1, 0, index));
  const result = await writeSidecars({ files, outputDir, folders, cacheDir, signal });
  meter.finish();
  const refused = listing.refused.map(({ path, reason }) => ({
    path: resultPath(path),
    reason: `refused: ${reason}`,
  }));
  return { result: { ...result, failed: [...result.failed, ...refused] }, warnings: changedFolders(listing, result) };
}

/** Returns recorded outputs that are folders in this upload. */
const folderOuts = (listing: Listing): readonly RawPath[] =>
  recordedOuts(listing)
    .map(({ path }) => rawFromText(path))
    .filter((path) => path !== '' && listing.isFolder(path));

const recordedOuts = ({ head }: Listing) => head.dvc?.outs ?? head.dvc?.stage?.outs ?? [];

function* filesOf(listing: Listing, onNext: (index: number) => void): Generator<SidecarFile> {
  for (let index = 0; index < listing.count; index++) {
    onNext(index);
    yield {
      path: listing.path(index),
      type: listing.type(index),
      size: listing.sizeBytes(index),
      mode: listing.mode(index),
      md5: listing.md5(index),
    };
  }
}

/**
 * Returns warnings about folders whose content differs from dvc.lock at the time of the upload; their `.dvc` files describe the upload. An
 * MD5 of DVC 2 is none of the bytes, so it does not tell.
 */
function changedFolders(listing: Listing, { folders }: SidecarResult): readonly string[] {
  const told = recordedOuts(listing).filter(({ hash }) => hash === undefined);
  const recorded = new Map(told.map(({ path, md5 }) => [rawFromText(path), md5]));
  return folders.flatMap(({ path, md5 }) => {
    const locked = recorded.get(path);
    if (locked === undefined || locked === md5) return [];
    return [`${displayPath(path)} is not as dvc.lock had it: the upload has ${md5}, dvc.lock had ${locked}`];
  });
}
