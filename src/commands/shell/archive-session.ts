// The archive of a shell: its listing, its location, and the current folder.
import type { Context } from '../../cli/context.js';
import { ArchiverError } from '../../core/platform/failures/errors.js';
import type { Listing } from '../../core/restore/listing/listing.js';
import type { ObjectReader } from '../../core/store/object-store.js';
import type { During } from '../../core/store/store-session.js';
import { printable, type RawPath, TOP } from '../../core/platform/paths/raw-path.js';
import { typedPath } from '../../core/platform/text/typed-path.js';
import type { FrameCache } from '../../core/restore/frame-cache.js';
import type { RestoreOptions } from '../../core/restore/restore.js';
import { resolvePath } from '../../core/shell/archive-path.js';
import type { Word } from '../../core/shell/command-line.js';
import { expandGlob } from '../../core/shell/expand-glob.js';
import type { UploadId } from '../../core/store/ids/upload-id.js';
import type { ExpectedDigests } from '../../core/dataset/records/assert-expected.js';

export interface OpenArchive {
  readonly listing: Listing;
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

  /** Returns the path that a word stands for. @throws not-found when it does not exist */
  existing(text: string): RawPath {
    const { listing } = this.archive;
    const path = this.path(text);
    if (listing.find(path) === undefined && !listing.isFolder(path))
      throw new ArchiverError('not-found', `there is no ${printable(text)} in this archive`, { hint: 'ls' });
    return path;
  }

  /** Yields the paths that words stand for, with globs expanded. @throws not-found */
  *paths(words: readonly Word[]): Generator<RawPath> {
    for (const { text, glob } of words) {
      if (glob === undefined) {
        yield this.existing(text);
        continue;
      }
      let count = 0;
      for (const path of expandGlob(this.archive.listing, this.folder, glob)) {
        count++;
        yield path;
      }
      if (count === 0) throw new ArchiverError('not-found', `nothing matches ${printable(text)}`, { hint: 'ls' });
    }
  }
}
