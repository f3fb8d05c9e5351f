// `archiver dvc export`: the manifest is read whole and checked before the first `.dvc` file is written.
import { resolve } from 'node:path';
import type { Context } from '../../cli/context.js';
import { type SidecarFile, type SidecarResult, writeSidecars } from '../../core/dvc/sidecar.js';
import { usageError } from '../../core/failures/errors.js';
import type { Listing } from '../../core/listing/listing.js';
import { loadListing } from '../../core/listing/load-listing.js';
import { displayPath, printable, rawFromText, type RawPath } from '../../core/paths/raw-path.js';
import { resultPath } from '../../core/failures/failure-list.js';
import { formatCount, formatQuantity } from '../../ui/format.js';
import { openForReading } from '../kit/store.js';
import { uploadTarget, uploadUrl, urlAndFolder } from '../kit/upload-target.js';
import type { DvcExportValues } from './export.js';

const SHOWN = 10;
type Positional = readonly [url: string | undefined, outputDir: string | undefined];

/** Runs the command; returns its exit status. */
export async function runDvcExport(values: DvcExportValues, positional: Positional, context: Context): Promise<number> {
  const { url, outputDir } = splitPositional(values, positional, context);
  const target = uploadTarget(url, values);
  const { cacheDir } = values;
  const { signal } = context;
  const opened = await openForReading(target.baseUrl, values, context);
  try {
    const { listing } = await loadListing(opened.store, { uploadId: target.uploadId, signal });
    const folders = folderOuts(listing);
    const result = await writeSidecars({ files: filesOf(listing), outputDir, folders, cacheDir, signal });
    const failed = [
      ...result.failed,
      ...listing.refused.map(({ path, reason }) => ({ path: resultPath(path), reason: `refused: ${reason}` })),
    ];
    const done = { ...result, failed };
    warnOfOthers(listing, result, context);
    const document = {
      uploadId: target.uploadId,
      location: uploadUrl(target),
      outputDir,
      cacheDir: resolve(outputDir, cacheDir),
      ...done,
      folders: result.folders.map((folder) => ({ ...folder, path: resultPath(folder.path) })),
      requests: opened.requests,
    };
    context.result(document, () => exportText(done, outputDir));
    if (failed.length === 0) return 0;
    return result.files + result.folders.length === 0 ? 1 : 3;
  } finally {
    opened.close();
  }
}

/** @throws usage for two output folders */
function splitPositional(
  values: DvcExportValues,
  positional: Positional,
  { cwd, origins }: Context,
): { readonly url: string | undefined; readonly outputDir: string } {
  const [url, named] = urlAndFolder(values, positional);
  if (named !== undefined && origins['outputDir'] === 'flag')
    throw usageError('give either OUTPUT_DIR or --output-dir, not both');
  return { url, outputDir: resolve(cwd, named ?? values.outputDir) };
}

/** Recorded outputs that are folders in this upload. */
const folderOuts = (listing: Listing): readonly RawPath[] =>
  recordedOuts(listing)
    .map(({ path }) => rawFromText(path))
    .filter((path) => path !== '' && listing.isFolder(path));

const recordedOuts = ({ head }: Listing) => head.dvc?.outs ?? head.dvc?.stage?.outs ?? [];

function* filesOf(listing: Listing): Generator<SidecarFile> {
  for (let index = 0; index < listing.count; index++)
    yield {
      path: listing.path(index),
      type: listing.type(index),
      size: listing.sizeBytes(index),
      mode: listing.mode(index),
      md5: listing.md5(index),
    };
}

/** Folders that are not as dvc.lock had them when they were uploaded: their `.dvc` files say what the upload has. */
function warnOfOthers(listing: Listing, { folders }: SidecarResult, context: Context): void {
  const recorded = new Map(recordedOuts(listing).map(({ path, md5 }) => [rawFromText(path), md5]));
  for (const { path, md5 } of folders) {
    const locked = recorded.get(path);
    if (locked !== undefined && locked !== md5)
      context.warn(`${displayPath(path)} is not as dvc.lock had it: the upload has ${md5}, dvc.lock had ${locked}`);
  }
}

function exportText(result: SidecarResult, outputDir: string): string {
  const { files, folders, unchanged, replaced, firstReplaced, failed, links } = result;
  const same = unchanged === 0 ? '' : `, ${formatCount(unchanged)} of them unchanged`;
  const left = links === 0 ? '' : `; left out ${formatQuantity(links, 'symbolic link')}`;
  const what = `${formatQuantity(files, 'file')} and ${formatQuantity(folders.length, 'folder')}`;
  const more = (count: number, shown: number): string[] =>
    count > shown ? [`  and ${formatCount(count - shown)} more`] : [];
  const lines = [
    `wrote .dvc files for ${what} to ${printable(outputDir)}${same}${left}`,
    ...firstReplaced.map((path) => `  replaced  ${printable(path)}`),
    ...more(replaced, firstReplaced.length),
    ...failed.slice(0, SHOWN).map(({ path, reason }) => `  failed    ${printable(path)}: ${reason}`),
    ...more(failed.length, SHOWN),
  ];
  return `${lines.join('\n')}\n`;
}
