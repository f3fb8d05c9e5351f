// The content of files of an upload, as `cat` and shells print it: verified, and escaped on a terminal.
import { StringDecoder } from 'node:string_decoder';
import type { EventSink } from '../../core/events/events.js';
import { ArchiverError, isArchiverError, usageError } from '../../core/platform/failures/errors.js';
import { displayPath, printable } from '../../core/platform/paths/raw-path.js';
import type { FrameCache } from '../../core/restore/frame-cache.js';
import type { Listing } from '../../core/restore/listing/listing.js';
import { readFile } from '../../core/restore/listing/read-file.js';
import type { RestoreOptions } from '../../core/restore/restore.js';
import type { UploadId } from '../../core/store/ids/upload-id.js';
import type { ObjectReader } from '../../core/store/object-store.js';
import type { During } from '../../core/store/store-session.js';
import { restoreHint } from './restore-hint.js';

/** An entry in the listing as it was when it was named. */
export interface NamedFile {
  readonly listing: Listing;
  readonly index: number;
}

/** Where content is read. */
export interface ContentSource {
  readonly reader: ObjectReader;
  readonly uploadId: UploadId;
  /** URL of the upload. */
  readonly location: string;
  readonly cache: FrameCache;
  readonly during: During;
  /** Returns a check of what is about to be fetched. */
  readonly fetchCheck: () => NonNullable<RestoreOptions['mayFetch']>;
}

interface Reading {
  readonly emit: EventSink;
  readonly signal: AbortSignal;
  /** True for a reader that may not want all. */
  readonly mayStop?: boolean;
}

/** Returns the file at `index`. @throws usage for an entry without content */
export function fileAt(
  listing: Listing,
  index: number | undefined,
  { name, folderHint }: { readonly name: string; readonly folderHint: string },
): NamedFile {
  if (index === undefined || listing.type(index) === 'directory') throw usageError(`${name} is a folder`, folderHint);
  const target = listing.extra(index)?.target;
  if (target === undefined) return { listing, index };
  throw usageError(`${name} is a symbolic link to ${displayPath(target)}`, 'name that instead');
}

/** Yields the verified bytes of a file. @throws cold-storage with the command that requests it */
export async function* contentOf(
  { listing, index }: NamedFile,
  { reader, uploadId, location, cache, during, fetchCheck }: ContentSource,
  { emit, signal, mayStop = false }: Reading,
): AsyncGenerator<Uint8Array> {
  const pieces = readFile(index, { reader, uploadId, listing, cache, mayStop, mayFetch: fetchCheck(), signal });
  try {
    for (;;) {
      const { value, done } = await during(emit, () => pieces.next());
      if (done === true) return;
      yield value;
    }
  } catch (error) {
    if (!isArchiverError(error, 'cold-storage')) throw error;
    const path = listing.path(index);
    const storageClass = listing.storageClass(index) ?? 'cold storage';
    throw new ArchiverError('cold-storage', `${displayPath(path)} is in ${storageClass} and not readable yet`, {
      hint: restoreHint(location, [path]),
      cause: error,
    });
  } finally {
    await pieces.return();
    await cache.settled();
  }
}

const SNIFFED_BYTES = 8192;

interface ContentOutput {
  readonly isTerminal: boolean;
  write(text: string): Promise<void>;
  writeBytes(bytes: Uint8Array): Promise<void>;
}

/** Writes content: raw bytes, but on a terminal text with all control characters escaped. */
export class ContentWriter {
  private readonly utf8 = new StringDecoder('utf8');
  private isFirst = true;

  constructor(
    private readonly out: ContentOutput,
    private readonly name: string,
    /** What to type for content that is no text. */
    private readonly binaryHint: string,
  ) {}

  async write(bytes: Uint8Array): Promise<void> {
    if (!this.out.isTerminal) {
      await this.out.writeBytes(bytes);
      return;
    }
    if (this.isFirst && bytes.subarray(0, SNIFFED_BYTES).includes(0))
      throw usageError(`${this.name} is not text`, this.binaryHint);
    this.isFirst = false;
    await this.out.write(safeText(this.utf8.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))));
  }
}

/** Escapes everything that a terminal obeys, except line ends and tabs. */
const safeText = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .split(/([\n\t])/)
    .map(escapeRun)
    .join('');
const escapeRun = (run: string): string => (run === '\n' || run === '\t' ? run : printable(run));
