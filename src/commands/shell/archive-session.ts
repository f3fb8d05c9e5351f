// The archive of a shell: its listing, which is read as commands need it, its location, and the current folder.
import type { Context } from '../../cli/context.js';
import { ArchiverError } from '../../core/platform/failures/errors.js';
import type { LazyListing, Reading } from '../../core/restore/listing/lazy-listing.js';
import type { Listing } from '../../core/restore/listing/listing.js';
import type { ObjectReader } from '../../core/store/object-store.js';
import type { During } from '../../core/store/store-session.js';
import { printable, type RawPath, TOP } from '../../core/platform/paths/raw-path.js';
import { typedPath } from '../../core/platform/text/typed-path.js';
import type { FrameCache } from '../../core/restore/frame-cache.js';
import type { RestoreOptions } from '../../core/restore/restore.js';
import { resolvePath } from '../../core/shell/archive-path.js';
import type { Word } from '../../core/shell/command-line.js';
import type { ShellStreams } from '../../core/shell/interpreter.js';
import { whileReading } from '../kit/while-reading.js';
import { expandGlob } from '../../core/shell/expand-glob.js';
import type { UploadId } from '../../core/store/ids/upload-id.js';
import type { ExpectedDigests } from '../../core/dataset/records/assert-expected.js';

export interface OpenArchive {
  readonly lazy: LazyListing;
  readonly reader: ObjectReader;
  readonly uploadId: UploadId;
  /** Digests that the manifest may have, where a version record names them. */
  readonly manifestSha256?: ExpectedDigests | undefined;
  /** URL of the upload. */
  readonly location: string;
  readonly cache: FrameCache;
  /** Returns a check of what a command is about to fetch. */
  readonly fetchCheck: () => NonNullable<RestoreOptions['mayFetch']>;
  readonly during: During;
}

export class ArchiveSession {
  folder = TOP;
  /** Where `cd -` goes. */
  earlierFolder: RawPath | undefined;

  constructor(
    readonly archive: OpenArchive,
    /** The parts of the context that commands need. */
    readonly context: Pick<
      Context,
      'account' | 'cwd' | 'home' | 'env' | 'now' | 'quiet' | 'colors' | 'memoryLimitBytes'
    >,
  ) {}

  /** Returns the path that a word stands for; it need not exist. */
  path(text: string): RawPath {
    return resolvePath(this.folder, typedPath(text));
  }

  /** What has been read of the listing. */
  get listing(): Listing {
    return this.archive.lazy.listing;
  }

  /**
   * Reads what a command needs of the listing; says on a terminal how far that is when it takes a while. Ctrl+C ends it. @throws what `read`
   * throws
   */
  async reading<T>(streams: ShellStreams, read: (lazy: LazyListing, how: Reading) => Promise<T>): Promise<T> {
    const { lazy, location, during } = this.archive;
    const { signal, stderr } = streams;
    if (lazy.listing.isWhole) return await read(lazy, { signal });
    const note = (text: string): void => void stderr.write(`! ${printable(text)}\n`);
    const context = { ...this.context, ...streams, note, warn: note };
    return await whileReading(context, location, (emit) => during(emit, () => read(lazy, { emit, signal })));
  }

  /** Returns the path that a word stands for. @throws not-found when it does not exist */
  private async existing(text: string, how: Reading): Promise<RawPath> {
    const path = this.path(text);
    const listing = await this.archive.lazy.readPath(path, how);
    if (listing.find(path) === undefined && !listing.isFolder(path))
      throw new ArchiverError('not-found', `there is no ${printable(text)} in this archive`, { hint: 'ls' });
    return path;
  }

  /** Returns the current folder; what is at it has been read. */
  async here(streams: ShellStreams): Promise<RawPath> {
    await this.reading(streams, (lazy, how) => lazy.readPath(this.folder, how));
    return this.folder;
  }

  /** Returns the paths that words stand for, with globs expanded; what is at them has been read. @throws not-found */
  async paths(words: readonly Word[], streams: ShellStreams): Promise<readonly RawPath[]> {
    return await this.reading(streams, async (lazy, how) => {
      const paths: RawPath[] = [];
      for (const { text, glob } of words) {
        const count = paths.length;
        if (glob === undefined) paths.push(await this.existing(text, how));
        else for await (const path of expandGlob(lazy, this.folder, glob, how)) paths.push(path);
        if (count === paths.length)
          throw new ArchiverError('not-found', `nothing matches ${printable(text)}`, { hint: 'ls' });
      }
      return paths;
    });
  }
}
