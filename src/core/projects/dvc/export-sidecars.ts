// Exports `.dvc` files for the files of an upload. The whole manifest is read and checked before the first one is written.
import type { EventSink } from '../../events/events.js';
import { ignoreEvents, progressMeter } from '../../events/progress-meter.js';
import type { Listing } from '../../restore/listing/listing.js';
import { loadListing } from '../../restore/listing/load-listing.js';
import type { ObjectReader } from '../../store/object-store.js';
import { displayPath, rawFromText, type RawPath } from '../../platform/paths/raw-path.js';
import { resultPath } from '../../platform/failures/failure-list.js';
import type { ReadGitOptions } from '../git/read-git.js';
import { SidecarGuard } from './guard.js';
import { writeSidecars } from './sidecar.js';
import type { SidecarFile, SidecarResult } from './sidecar-types.js';
import type { UploadId } from '../../store/ids/upload-id.js';

const SIDECAR = '.dvc';

export interface ExportOptions {
  readonly uploadId: UploadId;
  /** Digests that its manifest may have; undefined when any is accepted. */
  readonly sha256?: readonly string[] | undefined;
  readonly outputDir: string;
  /** DVC's cache as an absolute path; that of the repository which holds the output folder when undefined. */
  readonly cacheDir?: string | undefined;
  readonly env: ReadGitOptions['env'];
  readonly emit?: EventSink | undefined;
  readonly signal: AbortSignal;
}

export interface Exported {
  /** `failed` also lists entries of the manifest that may not be written anywhere. */
  readonly result: SidecarResult;
  readonly warnings: readonly string[];
  /** The cache that has got the lists of folders; undefined where there is none. */
  readonly cacheDir: string | undefined;
}

/** Writes the files. @throws what `loadListing`, `SidecarGuard.open` and `writeSidecars` throw */
export async function exportSidecars(reader: ObjectReader, options: ExportOptions): Promise<Exported> {
  const { uploadId, sha256, outputDir, env, emit = ignoreEvents, signal } = options;
  const listing = await loadListing(reader, { uploadId, sha256, emit, signal });
  const guard = await SidecarGuard.open({ folder: rawFromText(outputDir), env, signal });
  const cacheDir = options.cacheDir ?? guard.cacheFolder;
  const tracked = trackedBefore(listing);
  emit({ type: 'phase', phase: 'transferring' });
  emit({ type: 'plan', items: listing.count, bytes: 0 });
  const meter = progressMeter(emit, (index) => displayPath(listing.path(index)));
  const files = filesOf(listing, (index) => meter.add(1, 0, index));
  const folders = [...tracked, ...guard.trackedFolders()].filter((path) => path !== '' && listing.isFolder(path));
  const isKnown = (path: RawPath): boolean => tracked.has(path);
  const result = await writeSidecars({ files, outputDir, guards: [guard], folders, isKnown, cacheDir, signal });
  meter.finish();
  const refused = listing.refused.map(({ path, reason }) => ({
    path: resultPath(path),
    reason: `refused: ${reason}`,
  }));
  const warnings = changedFolders(listing, result);
  return { result: { ...result, failed: [...result.failed, ...refused] }, warnings, cacheDir };
}

/** Returns what DVC tracked in the folder that was uploaded: recorded outputs, and what has a `.dvc` file beside it. */
function trackedBefore(listing: Listing): ReadonlySet<RawPath> {
  const tracked = new Set(recordedOuts(listing).map(({ path }) => rawFromText(path)));
  for (let index = 0; index < listing.count; index++) {
    const path = listing.path(index);
    if (path.endsWith(SIDECAR) && listing.type(index) === 'file') tracked.add(path.slice(0, -SIDECAR.length));
  }
  return tracked;
}

const recordedOuts = ({ head }: Listing) => head.dvc?.outs ?? head.dvc?.stage?.outs ?? [];

function* filesOf(listing: Listing, onNext: (index: number) => void): Generator<SidecarFile> {
  for (let index = 0; index < listing.count; index++) {
    onNext(index);
    const [path, type, mode] = [listing.path(index), listing.type(index), listing.mode(index)];
    const linked = type === 'symlink' ? linkedContent(listing, index) : undefined;
    yield { path, type, mode, ...(linked ?? { size: listing.sizeBytes(index), md5: listing.md5(index) }) };
  }
}

/** A content in a cache of DVC 3, whose name is its MD5. */
const CONTENT = /(?:^|\/)files\/md5\/([0-9a-f]{2})\/([0-9a-f]{30})$/;

/** Returns what is known of the content that a link into DVC's cache leads to; undefined for any other link. */
function linkedContent(listing: Listing, index: number): Pick<SidecarFile, 'size' | 'md5'> | undefined {
  const [, start, end] = CONTENT.exec(listing.extra(index)?.target ?? '') ?? [];
  if (start === undefined || end === undefined) return undefined;
  const cached = listing.find(rawFromText(`.dvc/cache/files/md5/${start}/${end}`));
  return { md5: start + end, size: cached === undefined ? undefined : listing.sizeBytes(cached) };
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
