// Removes the source of a version once the store was read back: whatever is on disk exactly as the version has it, and nothing else. What
// has changed or come since stays, and is named. Order: entries, proof, receipt, removal from the last path to the first (so folders come
// after what is in them), receipt.
import { randomBytes } from 'node:crypto';
import { DIGESTS_OF_RECORD } from '../../dataset/records/assert-expected.js';
import { ArchiverError, cancelledError, errorText } from '../../platform/failures/errors.js';
import { type Failure, Failures } from '../../platform/failures/failure-list.js';
import type { Libc } from '../../platform/libc/libc.js';
import { baseName, displayPath, type RawPath, rawFromText } from '../../platform/paths/raw-path.js';
import type { RestoreOptions } from '../../restore/restore.js';
import { EmptyFolders } from './empty-folders.js';
import { proveStored, type ProofOptions } from './prove-stored.js';
import { makeReceiptFolder, type Outcome, type ReceiptHead, writeReceipt } from './receipt.js';
import { EntryRemover, type Removal } from './remove-entry.js';
import { SourceTree } from './source-tree.js';
import { chunksOf, readStoredEntries, type StoredEntries } from './stored-entries.js';

export interface RemoveSourceOptions extends ProofOptions {
  readonly libc: Libc;
  /** Root of the upload: a folder, or several sources (archive/scan/united-source.ts). */
  readonly source: RawPath;
  /** Whether the upload has seen a path: a version may have more, from the version before, which this upload was told to leave out. */
  readonly isScanned: (path: RawPath) => boolean;
  /** Paths that were never looked at, absolute as in the scan. */
  readonly leaves: readonly RawPath[];
  /** What is younger has come since, in ms since 1970. */
  readonly begunMs: number;
  readonly about: Pick<ReceiptHead, 'location' | 'datasetId' | 'version' | 'sources'>;
  readonly receipt: { readonly file: string; /** True in the folder for all of them. */ readonly isOwn: boolean };
  readonly mayFetch: NonNullable<RestoreOptions['mayFetch']>;
}

export interface RemovedSource {
  readonly files: number;
  readonly folders: number;
  /** Sizes of the files; each name of a hard link counts. */
  readonly bytes: number;
  /** Entries that were not there any more. */
  readonly gone: number;
  /** What stays although it should not, or has come since. */
  readonly kept: readonly Failure[];
  /** What stays because it is not in the version: it was left out of the upload. */
  readonly leftOut: number;
  readonly warnings: readonly string[];
}

const OUTCOMES: readonly Outcome[] = ['intended', 'removed', 'kept', 'gone'];
const KEPT = OUTCOMES.indexOf('kept');

/** Begins the names of files that a removal was about to unlink. */
export const ASIDE = '.archiver-removing-';

/**
 * Removes what the version has. @throws what reading back throws, or writing the receipt: nothing is removed then; cancelled, with the
 * receipt saying what is gone
 */
export async function removeSource(options: RemoveSourceOptions): Promise<RemovedSource> {
  const { reader, uploadId, signal, mayFetch, emit } = options;
  emit({ type: 'phase', phase: 'comparing' });
  const entries = await readStoredEntries(reader, { uploadId, manifestSha256: DIGESTS_OF_RECORD, signal });
  await mayFetch(chunksOf(entries), entries.head.project ?? null);
  await proveStored(entries, options);
  const tree = new SourceTree(options.libc, options.source);
  // Sent where a program opens a file for writing that is about to be removed; it would end this process.
  const ignored = (): void => undefined;
  process.on('SIGIO', ignored);
  try {
    return await new SourceRemoval(entries, tree, options).run();
  } finally {
    process.off('SIGIO', ignored);
    tree.close();
  }
}

class SourceRemoval {
  /** Kept from the beginning are the sources themselves, and what the upload was told to leave out: that is found where it is there. */
  private readonly outcomes: Uint8Array;
  private readonly tops: ReadonlySet<RawPath>;
  private readonly reasons = new Map<number, string>();
  private readonly kept: Failures;
  private readonly warnings: string[] = [];
  private readonly counts = { files: 0, folders: 0, bytes: 0, gone: 0 };
  private readonly asidePrefix = `${ASIDE}${randomBytes(4).toString('hex')}-`;
  private readonly verifiedAt: string;
  private readonly remover: EntryRemover;
  private readonly folders: EmptyFolders;

  constructor(
    private readonly entries: StoredEntries,
    private readonly tree: SourceTree,
    private readonly options: RemoveSourceOptions,
  ) {
    const { libc, signal, emit, now } = options;
    this.outcomes = new Uint8Array(entries.table.count);
    this.verifiedAt = now().toISOString();
    this.kept = new Failures(({ path, reason }) => emit({ type: 'note', text: `${path} stays: ${reason}` }));
    this.remover = new EntryRemover(libc, entries, rawFromText(this.asidePrefix), signal);
    this.folders = new EmptyFolders({ ...options, tree, kept: this.kept });
    this.tops = new Set(tree.tops);
    for (let index = 0; index < entries.table.count; index++) {
      const path = entries.table.path(index);
      if (this.tops.has(path) || !options.isScanned(path)) this.outcomes[index] = KEPT;
    }
  }

  async run(): Promise<RemovedSource> {
    const { receipt, signal, emit } = this.options;
    if (receipt.isOwn) await makeReceiptFolder(receipt.file);
    await this.writeReceipt('intended');
    emit({ type: 'phase', phase: 'deleting' });
    try {
      await this.removeAll();
    } catch (error) {
      await this.finishReceipt('stopped');
      const why = signal.aborted ? 'stopped' : errorText(error);
      const { files, folders } = this.counts;
      const text = `${why}: ${files + folders} of ${this.entries.table.count} entries of the source were removed, as ${receipt.file} says; the rest is there`;
      throw signal.aborted ? cancelledError(text) : new ArchiverError('io', text, { cause: error });
    }
    await this.finishReceipt('complete');
    if (this.remover.lacksLeases)
      this.warnings.push(
        'of some files it could not be told whether a program has them open for writing, because of the file system or their owner: what one wrote in the moment before they were removed is lost',
      );
    const { list } = this.kept;
    return { ...this.counts, kept: list, leftOut: this.folders.leftOut, warnings: this.warnings };
  }

  private async removeAll(): Promise<void> {
    const { table } = this.entries;
    for (let index = table.count - 1; index >= 0; index--) {
      this.options.signal.throwIfAborted();
      const path = table.path(index);
      if (baseName(path).startsWith(ASIDE)) this.warnings.push(leftBehind(path));
      if (this.outcomes[index] === KEPT) continue;
      if (table.type(index) !== 'directory') this.note(index, path, await this.removeEntry(index, path));
      else this.note(index, path, this.folders.remove(path));
    }
    for (const top of this.tops) this.folders.look(top);
  }

  private async removeEntry(index: number, path: RawPath): Promise<Removal> {
    try {
      return await this.remover.remove(index, this.tree.place(path));
    } catch (error) {
      if (this.options.signal.aborted) throw error;
      return this.folders.refused(error);
    }
  }

  private note(index: number, path: RawPath, removal: Removal | undefined): void {
    const { columns } = this.entries.table;
    const isFolder = this.entries.table.type(index) === 'directory';
    this.outcomes[index] = removal === undefined ? KEPT : OUTCOMES.indexOf(removal.outcome);
    if (removal === undefined) return; // a folder that is not empty: what is in it was named
    switch (removal.outcome) {
      case 'removed':
        if (isFolder) this.counts.folders++;
        else this.counts.files++;
        this.counts.bytes += columns.size[index] ?? 0;
        break;
      case 'gone':
        this.counts.gone++;
        break;
      case 'kept':
        this.reasons.set(index, removal.reason);
        this.kept.add(path, removal.reason, isFolder);
        this.folders.keep(path, removal.name);
        break;
      default:
        removal satisfies never;
    }
  }

  private async writeReceipt(status: ReceiptHead['status']): Promise<void> {
    const { uploadId, about, receipt, now } = this.options;
    const { asidePrefix, verifiedAt, entries } = this;
    const endedAt = status === 'intended' ? null : now().toISOString();
    await writeReceipt(
      receipt.file,
      { status, uploadId, ...about, asidePrefix, verifiedAt, endedAt },
      {
        entries,
        outcomeOf: (index) => OUTCOMES[this.outcomes[index] ?? 0] ?? 'intended',
        reasonOf: (index) => this.reasons.get(index),
      },
    );
  }

  /** The removal is done: that its receipt is not is no reason to hide it. */
  private async finishReceipt(status: 'stopped' | 'complete'): Promise<void> {
    try {
      await this.writeReceipt(status);
    } catch (error) {
      const text = `the receipt could not be completed, and still says what was to be removed: ${errorText(error)}`;
      this.kept.add(rawFromText(this.options.receipt.file), text);
    }
  }
}

const leftBehind = (path: RawPath): string =>
  `${displayPath(path)} is a file that a removal was about to remove when it was killed; it was uploaded under this name`;
