// Prints the content of files to stdout: `cat`, and `restore -`. Every name is known to be a file before anything is fetched. What a
// stream has given away cannot be taken back: a failure after the first byte says so.
import type { Context } from '../../cli/context.js';
import { ArchiverError, isArchiverError } from '../../core/platform/failures/errors.js';
import { displayPath, TOP } from '../../core/platform/paths/raw-path.js';
import { shellWord } from '../../core/platform/text/shell-word.js';
import { typedPath } from '../../core/platform/text/typed-path.js';
import { LazyListing } from '../../core/restore/listing/lazy-listing.js';
import { NOT_HERE, NothingSelected } from '../../core/format/manifest/nothing-selected.js';
import { resolvePath } from '../../core/shell/archive-path.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import { recordRunFacts, recordRunResult } from './account.js';
import { contentOf, type ContentSource, ContentWriter, fileAt, type NamedFile } from './file-content.js';
import { openFrameCache } from './frame-cache.js';
import { findInOtherVersions, otherVersionsText } from './other-versions.js';
import { pricedFetch } from './priced-fetch.js';
import { ShellWriter } from './shell-writer.js';
import { openForSession, retryNotes, type StoreValues } from './store.js';
import { type FoundUpload, uploadUrl } from './upload-target.js';
import { whileReading } from './while-reading.js';

interface PrintValues extends StoreValues {
  readonly cacheGb: number;
}

/** Writes the files to stdout, one after the other. @throws usage for what has no content; not-found, cold-storage, integrity, BrokenPipe */
export async function printFiles(
  names: readonly string[],
  { target, values }: { readonly target: FoundUpload; readonly values: PrintValues },
  context: Context,
): Promise<void> {
  const { baseUrl, uploadId, version, manifestSha256 } = target;
  const { signal } = context;
  const location = uploadUrl(target);
  const { opened, during } = target.session ?? (await openForSession(baseUrl, values, context));
  try {
    recordRunFacts(context, { operation: 'restore', uploadId, datasetId: version?.datasetId });
    const reader = opened.store;
    const lazy = await whileReading(context, location, (emit) =>
      during(emit, () => LazyListing.open(reader, { uploadId, sha256: manifestSha256, emit, signal })),
    );
    const files = await during(retryNotes(context), () => filesNamed(names, { lazy, target, opened }, context));
    const cache = await openFrameCache(values, context);
    const priced = pricedFetch({ values, target, opened }, context);
    const source = { reader, uploadId, location, cache, during, fetchCheck: () => priced.check };
    let bytes = 0;
    for (const file of files) {
      const printed = await printFile(file, source, context).catch(async (error: unknown) => {
        throw await priced.withPrice(error);
      });
      bytes += printed;
    }
    recordRunResult(context, { files: files.length, bytes });
  } finally {
    opened.close();
  }
}

/** Writes one file; returns its size. */
async function printFile(file: NamedFile, source: ContentSource, context: Context): Promise<number> {
  const { signal } = context;
  const out = new ShellWriter(context);
  const name = displayPath(file.listing.path(file.index));
  const writer = new ContentWriter(out, name, 'send it to a file: … > FILE');
  let bytes = 0;
  try {
    for await (const piece of contentOf(file, source, { emit: retryNotes(context), signal })) {
      await writer.write(piece);
      bytes += piece.byteLength;
    }
    await out.flush();
    return bytes;
  } catch (error) {
    if (bytes === 0 || !isArchiverError(error) || error.code === 'usage') throw error;
    const { code, exitCode, hint, message } = error;
    const told = `${message}; ${bytes} bytes of ${name} were written before that: they are not the file`;
    throw new ArchiverError(code, told, { cause: error, exitCode, hint });
  }
}

interface Opened {
  readonly target: FoundUpload;
  readonly opened: OpenedStore;
}

/** Finds the files. @throws usage for one without content, not-found with where else it is */
async function filesNamed(
  names: readonly string[],
  { lazy, target, opened }: Opened & { readonly lazy: LazyListing },
  context: Context,
): Promise<readonly NamedFile[]> {
  const { signal } = context;
  const paths = names.map((name) => resolvePath(TOP, typedPath(name)));
  for (const path of paths) await lazy.readPath(path, { signal });
  const { listing } = lazy;
  const missing = paths.flatMap((path, at) =>
    listing.find(path) === undefined && !listing.isFolder(path) ? [{ path: names[at] ?? '', reason: NOT_HERE }] : [],
  );
  if (missing.length > 0) {
    const asked = { uploadId: target.uploadId, selectors: { files: names } };
    const found = await findInOtherVersions(opened.store, asked, missing, context);
    const { message } = new NothingSelected({ unmatched: missing, conflict: undefined });
    throw new ArchiverError('not-found', `${message}${otherVersionsText(found)}`, {
      hint: `archiver list ${uploadUrl(target)}`,
    });
  }
  return paths.map((path) => {
    const name = displayPath(path) || '/';
    const what = path === TOP ? '--all' : `--file ${shellWord(name)}`;
    const folderHint = `archiver restore ${shellWord(uploadUrl(target))} --to-tar - ${what}`;
    return fileAt(listing, listing.find(path), { name, folderHint });
  });
}
