// Migrates an archive: stream it from its store → decode → extract to a private folder → upload → compare the manifest with what the
// archive held → delete the original, if asked to and if nothing is missing. A failure before the upload leaves nothing in the destination;
// the private folder is removed however it ends.
import { archiveInto } from '../../archive/archive-folder.js';
import { readAccountIds } from '../../archive/scan/account-names.js';
import type { ArchiveOptions } from '../../archive/run/settings.js';
import type { EarlierKeys } from '../../archive/run/upload-encryption.js';
import type { UploadResult } from '../../archive/upload-result.js';
import { ArchiverError, isArchiverError } from '../../platform/failures/errors.js';
import type { EventSink } from '../../events/events.js';
import type { OpenedStore } from '../../store/open-store.js';
import type { RequestCounts } from '../../store/object-store.js';
import { printable, rawFromText } from '../../platform/paths/raw-path.js';
import { type OutputFolder, openOutputFolder } from '../../restore/output-tree/output-folder.js';
import { ArchiveContents } from './archive-contents.js';
import { openTarStream, type ArchiveFormat } from './archive-format.js';
import { DiskWriter } from './disk-writer.js';
import { Extraction, type NotMigrated } from './extraction.js';
import { Losses } from './losses.js';
import { namedError } from './named-error.js';
import { readTar } from './read-tar.js';
import { TempFolder, freeSpaceOf } from './temp-folder.js';
import { TempSpace } from './temp-space.js';
import { validateUpload } from './validate-upload.js';
import { defined } from '../../platform/defined.js';
import { readFrameHeader } from '../../platform/codec/zstd-frame.js';

export interface MigrateOptions {
  readonly archive: {
    readonly opened: OpenedStore;
    readonly key: string;
    /** URL of the archive; identifies the dataset. */
    readonly url: string;
    /** Host on which that URL is valid: the host's name for a local file, '' elsewhere. */
    readonly owner: string;
  };
  readonly tempParent: string;
  readonly keepTemp: boolean;
  readonly validate: boolean;
  readonly deleteOriginal: boolean;
  /** Opens the destination. */
  readonly open: (onEvent: EventSink) => Promise<OpenedStore>;
  readonly upload: Pick<ArchiveOptions, 'now' | 'dataset' | 'packing' | 'layout' | 'labels' | 'uploadGate'>;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

/** Nothing was there before, nothing is deduplicated or sent directly, and a dry run is told by itself. */
type FullResult = Omit<
  UploadResult,
  'changes' | 'directFiles' | 'deduplicated' | 'planned' | 'destination' | keyof EarlierKeys
>;

export interface MigrateResult extends FullResult {
  readonly archive: string;
  readonly format: ArchiveFormat;
  readonly entries: number;
  readonly validated: boolean;
  readonly originalDeleted: boolean;
  /** Why the original was kept although it was to be deleted. */
  readonly originalKept?: string;
  /** Metadata that could not be kept, one sentence per kind. */
  readonly notKept: readonly string[];
  /** The folder with the extracted files, when it was kept or could not be removed. */
  readonly tempFolder?: string;
}

/** Migrates an archive. @throws ArchiverError; when it comes from before the upload, nothing was written to the destination */
export async function migrate(options: MigrateOptions): Promise<MigrateResult> {
  const folder = TempFolder.make(options.tempParent);
  let migration: Migration | undefined;
  let result: MigrateResult;
  try {
    migration = new Migration(options, folder);
    result = await migration.run();
  } finally {
    await (migration === undefined ? folder.remove() : migration.close());
  }
  return migration.isFolderLeft ? { ...result, tempFolder: folder.path } : result;
}

class Migration {
  isFolderLeft = true;
  private readonly started = performance.now();
  private readonly losses = new Losses();
  private readonly skipped: NotMigrated[] = [];
  private readonly output: OutputFolder;
  private readonly space: TempSpace;
  private readonly contents: ArchiveContents;
  private readonly extraction: Extraction;

  constructor(
    private readonly options: MigrateOptions,
    private readonly folder: TempFolder,
  ) {
    this.output = openOutputFolder({ path: folder.data, flatten: false, keepSpecialBits: true });
    const { tree, settings, folding } = this.output;
    this.space = new TempSpace(folder.path, () => freeSpaceOf(folder.path));
    this.contents = new ArchiveContents(folding);
    this.losses.isRounded = tree.timeDigits === 6;
    this.extraction = new Extraction({
      contents: this.contents,
      losses: this.losses,
      accounts: readAccountIds(),
      writer: new DiskWriter(tree, settings, this.space, this.losses),
      onSkip: (skip) => this.skip(skip),
    });
  }

  async run(): Promise<MigrateResult> {
    const { options, contents, losses } = this;
    const { archive, emit } = options;
    emit({ type: 'note', text: `extracting to ${printable(this.folder.path)}` });
    const read = await this.extract();
    if (contents.rows.size === 0 && this.skipped.length > 0) throw this.nothing();
    const before = losses.sentences();
    for (const text of before) emit({ type: 'note', text });
    const uploaded = await this.upload();
    const requests = { ...uploaded.requests };
    if (options.validate) {
      emit({ type: 'phase', phase: 'finishing' });
      add(requests, await this.validate(uploaded));
    }
    const notKept = losses.sentences();
    for (const text of notKept) if (!before.includes(text)) emit({ type: 'note', text });
    const isWhole = this.skipped.length === 0 && uploaded.skipped.length === 0 && notKept.length === 0;
    const kept = options.deleteOriginal ? await this.deleteOriginal(read, isWhole) : undefined;
    add(requests, archive.opened.requests);
    const isPartial = uploaded.partial || this.skipped.some(({ isSpecial }) => !isSpecial);
    return {
      ...uploaded,
      archive: archive.url,
      format: read.format,
      entries: contents.rows.size,
      validated: options.validate,
      originalDeleted: options.deleteOriginal && kept === undefined,
      ...defined({ originalKept: kept }),
      notKept,
      skipped: [...this.skipped.map(({ path, reason }) => ({ path, reason })), ...uploaded.skipped],
      partial: isPartial || kept !== undefined || !read.hasWholeEnd,
      durationMs: Math.round(performance.now() - this.started),
      requests,
    };
  }

  /** Deletes the original, unless it holds more than the upload or has changed since. @returns the reason when it was kept */
  private async deleteOriginal(
    { etag, hasWholeEnd }: { readonly etag: string; readonly hasWholeEnd: boolean },
    isWhole: boolean,
  ): Promise<string | undefined> {
    const { key, opened } = this.options.archive;
    const { signal } = this.options;
    if (!hasWholeEnd) return 'it ends with one block of zeros, and a tar ends with two: it may have been cut off';
    if (!isWhole) return 'it holds what could not be migrated as it is';
    const now = await opened.store.head(key, signal);
    if (now === undefined) return 'it is not there any more';
    if (now.etag !== etag) return 'it was changed while it was being migrated';
    const [failure] = await opened.deleter.delete([key], signal);
    return failure && printable(failure.reason);
  }

  private skip(skip: NotMigrated): void {
    this.skipped.push(skip);
    this.options.emit({ type: 'skip', path: skip.path, reason: skip.reason });
  }

  private nothing(): ArchiverError {
    const { archive } = this.options;
    const [first] = this.skipped;
    return new ArchiverError(
      'unsupported',
      `nothing in ${printable(archive.url)} can be migrated: ${first?.path} ${first?.reason} (${this.skipped.length} members)`,
    );
  }

  private async extract(): Promise<{
    readonly format: ArchiveFormat;
    readonly etag: string;
    readonly hasWholeEnd: boolean;
  }> {
    const { archive, emit, signal } = this.options;
    emit({ type: 'phase', phase: 'scanning' });
    const content = await archive.opened.store.get(archive.key, { signal });
    try {
      const { format, pieces, start } = await openTarStream(content.body as AsyncIterable<Uint8Array>);
      this.space.expect(expectedBytes(format, content.totalBytes, start));
      const hasWholeEnd = await readTar(pieces, this.extraction, emit, signal);
      await this.extraction.finish(signal);
      return { format, etag: content.etag, hasWholeEnd };
    } catch (error) {
      throw this.explain(error);
    } finally {
      this.extraction.abort();
      content.body.destroy();
    }
  }

  private explain(error: unknown): unknown {
    const { archive, signal } = this.options;
    if (signal.aborted) return signal.reason;
    if (isArchiverError(error, 'no-space')) {
      return error.message.startsWith('the archive') ? error : this.space.full('its file system is full', error);
    }
    return namedError(error, archive.url);
  }

  private upload(): Promise<UploadResult> {
    const { upload: fixed, archive, emit, signal } = this.options;
    return archiveInto(() => this.options.open(emit), {
      ...fixed,
      source: rawFromText(this.folder.data),
      dataset: {
        ...fixed.dataset,
        // An archive with few or no files is meant as it is, unlike a disk that may not be mounted.
        allowMassDelete: true,
        origin: { path: rawFromText(archive.url), owner: archive.owner },
      },
      // A .archiverignore in the archive is just another file of it, not an instruction for the migration.
      filter: { ignoreFiles: false, dvc: 'asIs', skipTrees: [] },
      emit,
      signal,
    });
  }

  private async validate(uploaded: UploadResult): Promise<RequestCounts> {
    const { options, contents, losses, output } = this;
    const opened = await options.open(options.emit);
    try {
      await validateUpload({
        reader: opened.store,
        uploaded,
        archiveUrl: options.archive.url,
        contents,
        linkedFiles: this.extraction.linkedFiles,
        hasOwners: output.settings.isRoot,
        timeDigits: output.tree.timeDigits,
        losses,
        signal: options.signal,
      });
      return opened.requests;
    } finally {
      opened.close();
    }
  }

  /** Leaves the disk as it should be. A failure here is reported, and does not undo the migration. */
  async close(): Promise<void> {
    const { keepTemp, emit } = this.options;
    try {
      if (keepTemp) this.extraction.disarm();
      this.output.close();
      if (keepTemp) {
        emit({ type: 'note', text: `the extracted files are in ${printable(this.folder.data)} (--keep-temp)` });
        return;
      }
      await this.folder.remove();
      this.isFolderLeft = false;
    } catch (error) {
      emit({ type: 'note', text: error instanceof Error ? error.message : String(error) });
    }
  }
}

/**
 * Estimates the least number of bytes that the archive needs, before it is read: what its first zstd frame announces, or else its stored
 * size. The data says so itself, so it is good for refusing early, never for allowing.
 */
function expectedBytes(format: ArchiveFormat, storedBytes: number, start: Buffer): number {
  if (format !== 'tar.zst') return storedBytes;
  try {
    return Math.max(storedBytes, readFrameHeader(start).contentSize ?? 0);
  } catch (error) {
    if (isArchiverError(error, 'integrity')) return storedBytes; // a skippable frame comes first, or it is damaged
    throw error;
  }
}

function add(to: RequestCounts, more: RequestCounts): void {
  for (const key of Object.keys(more) as (keyof RequestCounts)[]) to[key] += more[key];
}
