// Migrates an archive: stream it from its store → decode → extract to a private folder → send → compare the manifest with what the
// archive held → commit, and look at what is stored → delete the original, if asked to and if nothing is missing. A failure before the upload leaves nothing in the destination;
// the private folder is removed however it ends.
import { archiveInto } from '../../archive/archive-folder.js';
import { readAccountIds } from '../../archive/scan/account-names.js';
import type { UploadResult } from '../../archive/upload-result.js';
import { ArchiverError, integrityError, isArchiverError } from '../../platform/failures/errors.js';
import type { ArchiveRecord } from '../../format/manifest/manifest-types.js';
import type { ObjectReader, RequestCounts } from '../../store/object-store.js';
import { addCounts } from '../../store/request-count.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import type { EncodedManifest } from '../../format/manifest/encoded-manifest.js';
import { printable, rawFromText } from '../../platform/paths/raw-path.js';
import { type OutputFolder, openOutputFolder } from '../../restore/output-tree/output-folder.js';
import { ArchiveContents } from './archive-contents.js';
import { openTarStream, type ArchiveFormat } from './archive-format.js';
import { DiskWriter } from './disk-writer.js';
import { Extraction, type NotMigrated } from './extraction.js';
import { Losses } from './losses.js';
import type { MigrateOptions, MigrateResult } from './migrate-options.js';
import { namedError } from './named-error.js';
import { readTar } from './read-tar.js';
import { TempFolder, freeSpaceOf } from './temp-folder.js';
import { TempSpace } from './temp-space.js';
import { storedProblem, unlikeArchive, validateUpload } from './validate-upload.js';
import { differences, readerOf } from './check-manifest.js';
import { expectedBytes } from './expected-bytes.js';
import type { KnownMigration } from './known-migration.js';
import { defined } from '../../platform/defined.js';

/** Migrates an archive. @throws ArchiverError; when it comes from before the upload, nothing was written to the destination */
export async function migrate(options: MigrateOptions): Promise<MigrateResult> {
  const { done, tempFolder } = await inFolder(options, (migration) => migration.run());
  return { ...done, ...defined({ tempFolder }) };
}

/**
 * Deletes an archive that an earlier run has migrated, once it is extracted and compared with what is stored. Returns why it was kept,
 * undefined if it is deleted. @throws integrity when the upload does not hold what the archive holds, and as `migrate`
 */
export async function deleteMigrated(options: MigrateOptions, known: KnownMigration): Promise<string | undefined> {
  return (await inFolder(options, (migration) => migration.compareAndDelete(known))).done;
}

async function inFolder<T>(
  options: MigrateOptions,
  work: (migration: Migration) => Promise<T>,
): Promise<{ readonly done: T; readonly tempFolder: string | undefined }> {
  const folder = TempFolder.make(options.tempParent);
  let migration: Migration | undefined;
  let done: T;
  try {
    migration = new Migration(options, folder);
    done = await work(migration);
  } finally {
    await (migration === undefined ? folder.remove() : migration.close());
  }
  return { done, tempFolder: migration.isFolderLeft ? folder.path : undefined };
}

/** What was read of the archive. */
interface Read extends Pick<ArchiveRecord, 'etag' | 'size'> {
  readonly format: ArchiveFormat;
  readonly hasWholeEnd: boolean;
}

class Migration {
  isFolderLeft = true;
  private readonly started = performance.now();
  private readonly losses = new Losses();
  private readonly skipped: NotMigrated[] = [];
  private isCompared = false;
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
    const uploaded = await this.upload(read);
    const requests = { ...uploaded.requests };
    if (options.validate) {
      emit({ type: 'phase', phase: 'finishing' });
      addCounts(requests, await this.validate(uploaded));
    }
    const notKept = losses.sentences();
    for (const text of notKept) if (!before.includes(text)) emit({ type: 'note', text });
    const isWhole = this.skipped.length === 0 && uploaded.skipped.length === 0 && notKept.length === 0;
    const kept = options.deleteOriginal ? await this.deleteOriginal(read, isWhole) : undefined;
    addCounts(requests, archive.opened.requests);
    const isPartial = uploaded.partial || this.isRefused;
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

  async compareAndDelete(known: KnownMigration): Promise<string | undefined> {
    const { archive, signal } = this.options;
    const read = await this.extract();
    if (read.etag !== known.etag) return 'it was changed meanwhile';
    const opened = await this.options.open(this.options.emit);
    try {
      const problem =
        (await this.differences(opened.store, known.uploadId)) ??
        (await storedProblem(opened.store, known.uploadId, signal));
      if (problem !== undefined) throw unlikeArchive({ uploaded: known, archiveUrl: archive.url }, problem);
    } finally {
      opened.close();
    }
    const isWhole = known.isWhole && this.skipped.length === 0 && this.losses.sentences().length === 0;
    return await this.deleteOriginal(read, isWhole);
  }

  /** Deletes the original, unless it holds more than the upload or has changed since. @returns the reason when it was kept */
  private async deleteOriginal({ etag, hasWholeEnd }: Read, isWhole: boolean): Promise<string | undefined> {
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

  private get isRefused(): boolean {
    return this.skipped.some(({ isSpecial }) => !isSpecial);
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

  private async extract(): Promise<Read> {
    const { archive, emit, signal } = this.options;
    emit({ type: 'phase', phase: 'scanning' });
    const content = await archive.opened.store.get(archive.key, { signal });
    try {
      const { format, pieces, start } = await openTarStream(content.body as AsyncIterable<Uint8Array>);
      this.space.expect(expectedBytes(format, content.totalBytes, start));
      const hasWholeEnd = await readTar(pieces, this.extraction, emit, signal);
      await this.extraction.finish(signal);
      return { format, etag: content.etag, size: content.totalBytes, hasWholeEnd };
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

  private upload({ etag, size, hasWholeEnd }: Read): Promise<UploadResult> {
    const { upload: fixed, archive, validate: validated, emit, signal } = this.options;
    const whole = hasWholeEnd && this.skipped.length === 0 && this.losses.sentences().length === 0;
    const read = { etag, size, validated, whole, partial: !hasWholeEnd || this.isRefused };
    return archiveInto(() => this.options.open(emit), {
      ...fixed,
      source: rawFromText(this.folder.data),
      dataset: {
        ...fixed.dataset,
        // An archive with few or no files is meant as it is, unlike a disk that may not be mounted.
        allowMassDelete: true,
        origin: { path: rawFromText(archive.url), owner: archive.owner, archive: read },
      },
      // A .archiverignore in the archive is just another file of it, not an instruction for the migration.
      filter: { ignoreFiles: false, dvc: 'asIs', skipTrees: [] },
      manifestCheck: validated ? (manifest, uploadId) => this.checkManifest(manifest, uploadId) : undefined,
      emit,
      signal,
    });
  }

  /** @throws integrity if the manifest is not that of the archive */
  private async checkManifest(manifest: EncodedManifest, uploadId: UploadId): Promise<void> {
    const problem = await this.differences(readerOf(manifest, uploadId), uploadId);
    if (problem === undefined) return;
    const { url } = this.options.archive;
    throw integrityError(`what was extracted is not what ${printable(url)} holds: ${problem}`, {
      hint: 'the archive was kept, and no version was made; did something else write to the temporary folder?',
    });
  }

  private async differences(reader: ObjectReader, uploadId: UploadId): Promise<string | undefined> {
    const { contents, output, extraction, options } = this;
    // An upload that goes on under another id is compared again: what is lost was counted then.
    const losses = this.isCompared ? new Losses() : this.losses;
    this.isCompared = true;
    return await differences({
      reader,
      uploadId,
      contents,
      linkedFiles: extraction.linkedFiles,
      hasOwners: output.settings.isRoot,
      timeDigits: output.tree.timeDigits,
      losses,
      signal: options.signal,
    });
  }

  private async validate(uploaded: UploadResult): Promise<RequestCounts> {
    const { archive, open, emit, signal } = this.options;
    const opened = await open(emit);
    try {
      await validateUpload({ reader: opened.store, uploaded, archiveUrl: archive.url, signal });
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
